// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module `pyfusion.native._core`: what every flush does, on CPython's stable ABI.
//
// Its functions are called with the GIL, which guards all that they change; only a launch gives it up. They call no
// code in Python between two changes of values, so that an interrupt comes before a function or after it.
#ifndef PYFUSION_CORE_H
#define PYFUSION_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000  // CPython 3.10 and later
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace core {

// What has a small number for plan keys: base of the classes of operations and element types.
struct Coded {
  PyObject_HEAD
  long code;
};

// A null field is an attribute that is not set.
struct Value {
  PyObject_HEAD
  PyObject* shape;
  PyObject* dtype;
  PyObject* stream;
  PyObject* record;
  PyObject* buffer;
  PyObject* ptr;
  PyObject* strides;
  PyObject* desc;
  PyObject* error;
  long long slot;
};

struct Buffer {
  PyObject_HEAD
  unsigned long long ptr;
  long long nbytes;
  PyObject* owner;
};

extern PyTypeObject* coded_type;
extern PyTypeObject* value_type;
extern PyTypeObject* buffer_type;

inline Value* as_value(PyObject* o) { return reinterpret_cast<Value*>(o); }
inline bool is_value(PyObject* o) { return Py_TYPE(o) == value_type; }
// Whether an attribute is set, and not to None.
inline bool is_set(PyObject* o) { return o != nullptr && o != Py_None; }

// References to an object: the lower half of the field; CPython 3.14 keeps flags in the other.
inline int64_t references(PyObject* o) { return static_cast<uint32_t>(Py_REFCNT(o)); }

inline PyObject* held(PyObject* o) {
  Py_INCREF(o);
  return o;
}
// Puts a new reference in a place; what was there goes afterwards.
inline void put(PyObject*& place, PyObject* made) {
  PyObject* old = place;
  place = made;
  Py_XDECREF(old);
}

// An owned reference.
class Ref {
 public:
  explicit Ref(PyObject* made = nullptr) : object(made) {}
  ~Ref() { Py_XDECREF(object); }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  operator PyObject*() const { return object; }
  explicit operator bool() const { return object != nullptr; }
  PyObject* release() {
    PyObject* o = object;
    object = nullptr;
    return o;
  }

 private:
  PyObject* object;
};

// The functions of libpyfusion_rt; null until the library is loaded.
struct Runtime {
  int32_t (*launch)(int64_t handle, int64_t* words);
  void* (*alloc)(int64_t bytes);
  int32_t (*free)(void* block);
};
extern Runtime runtime;
bool is_connected();  // else with an exception set

// The code of an operation or element type, at most 2^31 - 1; -1 with an exception set.
long code_of(PyObject* o);
// A value of the environment or a list of values, borrowed; null with an exception set.
Value* value_at(PyObject* list, Py_ssize_t index);
// The length of a tuple; -1 with an exception set.
Py_ssize_t rank_of(PyObject* shape);
// A tuple's integers; false with an exception set.
bool integers(PyObject* tuple, std::vector<int64_t>& out);
// The product of a shape; -1 with an exception set.
int64_t size_of(PyObject* shape);
std::vector<int64_t> dense_strides(const std::vector<int64_t>& shape);
// New references, or null with an exception set. A buffer that is not made frees its memory.
PyObject* concrete(PyObject* dtype, PyObject* shape, PyObject* buffer, PyObject* ptr, PyObject* strides);
PyObject* pool_buffer(uint64_t ptr, int64_t nbytes);

// The word of a Python scalar in the type of a code (see pyfusion/runtime/words.py); false with an exception set.
bool scalar_word(PyObject* number, char code, int64_t* word);

// A type's function as CPython takes it.
template <class F>
void* slot(F* function) {
  return reinterpret_cast<void*>(function);
}
// Methods that are called with one argument and with an array of them. No exception of C++ leaves them.
template <PyObject* (*function)(PyObject*, PyObject*)>
PyObject* one(PyObject* self, PyObject* argument) {
  try {
    return function(self, argument);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}
template <PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)>
PyObject* guarded(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  try {
    return function(self, args, count);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}
template <PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)>
PyCFunction many() {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(guarded<function>));
}
// Whether a function was given that many arguments; else with an exception set.
bool takes(const char* name, Py_ssize_t wanted, Py_ssize_t given);

// Makes a type and adds it to the module; null with an exception set.
PyTypeObject* add_type(PyObject* module, PyType_Spec* spec, const char* name);

// Each adds its part to the module; false with an exception set.
bool add_values(PyObject* module);
bool add_buffers(PyObject* module);
bool add_blocks(PyObject* module);
bool add_launches(PyObject* module);
bool add_arrays(PyObject* module);

}  // namespace core

#endif  // PYFUSION_CORE_H
