// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers: memory of the pool, or of somebody else.
#include "core.h"

namespace core {

PyTypeObject* buffer_type;

namespace {

Buffer* as_buffer(PyObject* o) { return reinterpret_cast<Buffer*>(o); }

PyObject* buffer_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"ptr", "nbytes", "owner", nullptr};
  unsigned long long ptr;
  long long nbytes;
  PyObject* owner = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "KL|O:Buffer", const_cast<char**>(names), &ptr, &nbytes, &owner)) {
    return nullptr;
  }
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (self != nullptr) {
    as_buffer(self)->ptr = ptr;
    as_buffer(self)->nbytes = nbytes;
    as_buffer(self)->owner = held(owner);
  }
  return self;
}

int buffer_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_buffer(self)->owner);
  return 0;
}

int buffer_clear(PyObject* self) {
  put(as_buffer(self)->owner, nullptr);  // not None: memory of somebody else must not go to the pool
  return 0;
}

void buffer_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Buffer* b = as_buffer(self);
  PyObject_GC_UnTrack(self);
  if (b->owner == Py_None && b->ptr != 0 && runtime.free != nullptr) runtime.free(reinterpret_cast<void*>(b->ptr));
  Py_CLEAR(b->owner);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyMemberDef buffer_members[] = {
    {"ptr", T_ULONGLONG, offsetof(Buffer, ptr), READONLY, "the address"},
    {"nbytes", T_LONGLONG, offsetof(Buffer, nbytes), READONLY, "its size"},
    {"owner", T_OBJECT, offsetof(Buffer, owner), READONLY, "what keeps memory alive that is not ours, or None"},
    {nullptr, 0, 0, 0, nullptr},
};

constexpr const char* kBufferDoc =
    R"(Buffer(ptr, nbytes, owner=None)
--

Memory of one or more values.

`owner` is None for memory of the pool, which goes back there with the last reference; else the
object that keeps the memory alive, and the memory is read-only to us.)";

PyType_Slot buffer_slots[] = {
    {Py_tp_doc, const_cast<char*>(kBufferDoc)},
    {Py_tp_members, buffer_members},
    {Py_tp_new, slot(buffer_new)},
    {Py_tp_traverse, slot(buffer_traverse)},
    {Py_tp_clear, slot(buffer_clear)},
    {Py_tp_dealloc, slot(buffer_dealloc)},
    {0, nullptr},
};

PyType_Spec buffer_spec = {"pyfusion.runtime.memory.Buffer", sizeof(Buffer), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, buffer_slots};

PyObject* allocate(PyObject*, PyObject* size) {
  long long nbytes = PyLong_AsLongLong(size);
  if (nbytes < 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a buffer of less than no bytes");
    return nullptr;
  }
  if (!is_connected()) return nullptr;
  void* memory = runtime.alloc(nbytes < 1 ? 1 : nbytes);
  if (memory == nullptr) Py_RETURN_NONE;
  return pool_buffer(reinterpret_cast<uint64_t>(memory), nbytes);
}

PyMethodDef functions[] = {
    {"allocate", one<allocate>, METH_O, "allocate(nbytes)\n--\n\nA buffer of the pool, or None: there is no memory."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

PyObject* pool_buffer(uint64_t ptr, int64_t nbytes) {
  PyObject* made = PyType_GenericAlloc(buffer_type, 0);
  if (made == nullptr) {
    runtime.free(reinterpret_cast<void*>(ptr));
    return nullptr;
  }
  as_buffer(made)->ptr = ptr;
  as_buffer(made)->nbytes = nbytes;
  as_buffer(made)->owner = held(Py_None);
  return made;
}

bool add_buffers(PyObject* module) {
  buffer_type = add_type(module, &buffer_spec, "Buffer");
  return buffer_type != nullptr && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace core
