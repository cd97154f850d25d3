// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches: the words of a kernel are taken from an environment, and its results are put there.
#include <string>

#include "core.h"

namespace core {
namespace {

enum Role { kInDense, kInStrided, kOut, kInOut, kUniform, kScalar, kOutStrided };  // as in pyfusion_rt.h

struct Operand {
  int role;
  char code;                  // of a scalar
  Py_ssize_t slot;
  std::vector<int64_t> dims;  // where strided: of each dimension of the launch that of the value; -1: broadcast

  bool strided() const { return role == kInStrided || role == kOutStrided; }
};

struct Result {
  Py_ssize_t slot;
  Py_ssize_t takes_over;  // the slot of the value whose memory it has, or -1
  int64_t itemsize;
  size_t word;            // of one that takes over none
  PyObject* dtype;        // owned, as the next
  PyObject* extents;      // null: those of the launch
};

struct Plan {
  int64_t handle = 0;
  bool flat = false;
  PyObject* extents = nullptr;
  std::vector<Operand> operands;
  std::vector<Result> results;
  std::vector<int64_t> words;

  ~Plan() {
    Py_XDECREF(extents);
    for (const Result& r : results) {
      Py_XDECREF(r.dtype);
      Py_XDECREF(r.extents);
    }
  }
};

struct Launch {
  PyObject_HEAD
  Plan* plan;
};

Plan& plan_of(PyObject* self) { return *reinterpret_cast<Launch*>(self)->plan; }

// Extents from a list of ints and pairs of a slot and a dimension; None for that: the slot holds the extent.
PyObject* shape_of(PyObject* env, PyObject* extents) {
  if (!PyList_Check(extents) || !PyList_Check(env)) {
    PyErr_SetString(PyExc_TypeError, "an environment and extents are lists");
    return nullptr;
  }
  Py_ssize_t rank = PyList_Size(extents);
  Ref shape(PyTuple_New(rank));
  if (!shape) return nullptr;
  for (Py_ssize_t d = 0; d < rank; ++d) {
    PyObject* extent = PyList_GetItem(extents, d);
    if (PyTuple_Check(extent)) {
      PyObject *place = PyTuple_GetItem(extent, 0), *dim = place == nullptr ? nullptr : PyTuple_GetItem(extent, 1);
      if (dim == nullptr) return nullptr;
      Py_ssize_t slot = PyLong_AsSsize_t(place);
      if (dim == Py_None) {
        extent = PyList_GetItem(env, slot);
      } else {
        Value* v = value_at(env, slot);
        extent = v == nullptr || rank_of(v->shape) < 0 ? nullptr : PyTuple_GetItem(v->shape, PyLong_AsSsize_t(dim));
      }
      if (extent == nullptr) return nullptr;
    }
    PyTuple_SetItem(shape, d, held(extent));
  }
  return shape.release();
}

bool pack_operand(const Operand& o, PyObject* env, int64_t*& word) {
  if (o.role == kScalar) {
    PyObject* number = PyList_GetItem(env, o.slot);
    return number != nullptr && scalar_word(number, o.code, word++);
  }
  Value* v = value_at(env, o.slot);
  if (v == nullptr) return false;
  if (v->ptr == nullptr || v->strides == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "a kernel reads a value that does not exist yet");
    return false;
  }
  unsigned long long ptr = PyLong_AsUnsignedLongLong(v->ptr);
  if (ptr == ~0ull && PyErr_Occurred()) return false;
  *word++ = static_cast<int64_t>(ptr);
  if (!o.strided()) return true;
  std::vector<int64_t> strides;
  if (!integers(v->strides == Py_None ? v->shape : v->strides, strides)) return false;
  if (v->strides == Py_None) strides = dense_strides(strides);
  for (int64_t d : o.dims) {
    if (d >= static_cast<int64_t>(strides.size())) {
      PyErr_SetString(PyExc_IndexError, "a kernel's operand has too few dimensions");
      return false;
    }
    *word++ = d < 0 ? 0 : strides[d];
  }
  return true;
}

// Writes the words; `outs` are the addresses of the results that take over none, null for zeros.
bool pack(Plan& plan, PyObject* env, PyObject* extents, PyObject* outs) {
  int64_t* word = plan.words.data();
  if (plan.flat) {
    *word = size_of(extents);
    if (*word++ < 0) return false;
  } else {
    for (Py_ssize_t d = 0, rank = PyTuple_Size(extents); d < rank; ++d) {
      *word = PyLong_AsLongLong(PyTuple_GetItem(extents, d));
      if (*word++ == -1 && PyErr_Occurred()) return false;
    }
  }
  Py_ssize_t number = 0;
  for (const Operand& o : plan.operands) {
    if (o.role != kOut) {
      if (!pack_operand(o, env, word)) return false;
    } else if (outs == nullptr) {
      *word++ = 0;
    } else {
      PyObject* address = PyList_GetItem(outs, number++);
      unsigned long long ptr = address == nullptr ? 0 : PyLong_AsUnsignedLongLong(address);
      if (PyErr_Occurred()) return false;
      *word++ = static_cast<int64_t>(ptr);
    }
  }
  return true;
}

// The buffer of a result: what the launch has made, of which it is the owner from here on, or a new one.
PyObject* buffer_of(Plan& plan, const Result& r, PyObject* shape) {
  int64_t size = size_of(shape);
  int64_t nbytes;
  if (size < 0) return nullptr;
  if (__builtin_mul_overflow(size, r.itemsize, &nbytes)) return PyErr_NoMemory();
  int64_t memory = plan.words[r.word];
  plan.words[r.word] = 0;
  if (memory == 0) memory = reinterpret_cast<int64_t>(runtime.alloc(nbytes < 1 ? 1 : nbytes));
  return memory == 0 ? PyErr_NoMemory() : pool_buffer(static_cast<uint64_t>(memory), nbytes);
}

bool put_result(Plan& plan, const Result& r, PyObject* env, PyObject* extents) {
  Ref shape(r.extents == nullptr ? held(extents) : shape_of(env, r.extents));
  if (!shape) return false;
  PyObject* value;
  if (r.takes_over >= 0) {
    Value* old = value_at(env, r.takes_over);
    value = old == nullptr ? nullptr : concrete(r.dtype, shape, old->buffer, old->ptr, Py_None);
  } else {
    Ref buffer(buffer_of(plan, r, shape));
    if (!buffer) return false;
    Ref ptr(PyLong_FromUnsignedLongLong(reinterpret_cast<Buffer*>(static_cast<PyObject*>(buffer))->ptr));
    value = ptr ? concrete(r.dtype, shape, buffer, ptr, Py_None) : nullptr;
  }
  return value != nullptr && PyList_SetItem(env, r.slot, value) == 0;
}

// Frees what a launch has made and no buffer owns.
struct Made {
  Plan& plan;
  ~Made() {
    for (const Result& r : plan.results) {
      if (r.takes_over >= 0 || plan.words[r.word] == 0) continue;
      runtime.free(reinterpret_cast<void*>(plan.words[r.word]));
      plan.words[r.word] = 0;
    }
  }
};

PyObject* launch_run(PyObject* self, PyObject* env) {
  Plan& plan = plan_of(self);
  if (!is_connected()) return nullptr;
  Ref packed(shape_of(env, plan.extents));
  if (!packed || !pack(plan, env, packed, nullptr)) return nullptr;
  // Where the interpreter ends meanwhile, it ends this thread while it waits for the GIL: until 3.13 by unwinding its
  // stack, on which nothing may own a reference then.
  PyObject* kept = packed.release();
  PyThreadState* thread = PyEval_SaveThread();
  const int32_t code = runtime.launch(plan.handle, plan.words.data());
  PyEval_RestoreThread(thread);
  Ref extents(kept);
  if (code != 0) return PyLong_FromLong(code);  // it has freed what it made
  Made made{plan};
  for (const Result& r : plan.results) {
    if (!put_result(plan, r, env, extents)) return nullptr;
  }
  return PyLong_FromLong(0);
}

PyObject* launch_pack(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  if (!takes("pack", 2, count)) return nullptr;
  Plan& plan = plan_of(self);
  Ref extents(shape_of(args[0], plan.extents));
  if (!extents || !pack(plan, args[0], extents, args[1])) return nullptr;
  Py_RETURN_NONE;
}

// -- The description -----------------------------------------------------------------------------------------------

PyObject* attribute(PyObject* o, const char* name) { return PyObject_GetAttrString(o, name); }

bool number_of(PyObject* o, const char* name, Py_ssize_t* out) {
  Ref found(attribute(o, name));
  *out = found ? PyLong_AsSsize_t(found) : -1;
  return !PyErr_Occurred();
}

bool read_operand(PyObject* o, Operand& out) {
  Py_ssize_t role;
  if (!number_of(o, "role", &role) || !number_of(o, "slot", &out.slot)) return false;
  if (role < kInDense || role > kOutStrided || (out.slot < 0 && role != kOut)) {
    PyErr_SetString(PyExc_ValueError, "an operand of a kernel has no such role or slot");
    return false;
  }
  out.role = static_cast<int>(role);
  Ref code(attribute(o, "code")), dims(attribute(o, "dims"));
  if (!code || !dims) return false;
  Ref bytes(PyUnicode_AsASCIIString(code));
  if (!bytes) return false;
  out.code = PyBytes_AsString(bytes)[0];
  if (!out.strided()) return true;
  Ref tuple(PySequence_Tuple(dims));
  return tuple && integers(tuple, out.dims);
}

bool read_result(PyObject* r, PyObject* extents, Result& out) {
  if (!number_of(r, "slot", &out.slot) || !number_of(r, "takes_over", &out.takes_over)) return false;
  out.dtype = attribute(r, "dtype");
  out.extents = attribute(r, "extents");
  Py_ssize_t itemsize;
  if (out.dtype == nullptr || out.extents == nullptr || !number_of(out.dtype, "itemsize", &itemsize)) return false;
  out.itemsize = itemsize;
  if (out.extents == extents) Py_CLEAR(out.extents);
  return true;
}

bool read_plan(Plan& plan, PyObject* extents, PyObject* operands, PyObject* results) {
  plan.extents = held(extents);
  if (!PyList_Check(extents)) {
    PyErr_SetString(PyExc_TypeError, "the extents of a launch are a list");
    return false;
  }
  size_t count = plan.flat ? 1 : static_cast<size_t>(PyList_Size(extents));
  std::vector<size_t> outs;
  for (Py_ssize_t i = 0, n = PyList_Size(operands); i < n; ++i) {
    plan.operands.emplace_back();
    if (!read_operand(PyList_GetItem(operands, i), plan.operands.back())) return false;
    if (plan.operands.back().role == kOut) outs.push_back(count);
    count += 1 + plan.operands.back().dims.size();
  }
  if (PyErr_Occurred()) return false;
  size_t fresh = 0;
  for (Py_ssize_t i = 0, n = PyList_Size(results); i < n; ++i) {
    plan.results.push_back({});
    if (!read_result(PyList_GetItem(results, i), extents, plan.results.back())) return false;
    if (plan.results.back().takes_over < 0) plan.results.back().word = fresh < outs.size() ? outs[fresh] : 0, ++fresh;
  }
  if (PyErr_Occurred()) return false;
  if (fresh != outs.size()) {
    PyErr_SetString(PyExc_ValueError, "a kernel has not an operand for each result");
    return false;
  }
  plan.words.resize(count);
  return true;
}

PyObject* launch_new(PyTypeObject* type, PyObject* args, PyObject*) {
  long long handle;
  int flat;
  PyObject *extents, *operands, *results;
  if (!PyArg_ParseTuple(args, "LOOOp:Launch", &handle, &extents, &operands, &results, &flat)) return nullptr;
  Ref self(PyType_GenericAlloc(type, 0));
  if (!self) return nullptr;
  try {
    auto* plan = new Plan;
    reinterpret_cast<Launch*>(static_cast<PyObject*>(self))->plan = plan;
    plan->handle = handle;
    plan->flat = flat != 0;
    return read_plan(*plan, extents, operands, results) ? self.release() : nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

void launch_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<Launch*>(self)->plan;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject* launch_address(PyObject* self, void*) { return PyLong_FromVoidPtr(plan_of(self).words.data()); }
PyObject* launch_count(PyObject* self, void*) { return PyLong_FromSize_t(plan_of(self).words.size()); }

PyGetSetDef launch_properties[] = {
    {"address", launch_address, nullptr, "of the words", nullptr},
    {"count", launch_count, nullptr, "of the words", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMethodDef launch_methods[] = {
    {"run", one<launch_run>, METH_O,
     "run(env)\n--\n\n"
     "Runs the kernel on what the environment holds, and puts its results there. The GIL is given up meanwhile.\n\n"
     "Returns 0, or the error of the run time: nothing has run then. Raises MemoryError, and what is wrong with a\n"
     "scalar."},
    {"pack", many<launch_pack>(), METH_FASTCALL,
     "pack(env, outs)\n--\n\n"
     "Only writes the words; `outs` are the addresses of the results that take over none."},
    {nullptr, nullptr, 0, nullptr},
};

constexpr const char* kLaunchDoc =
    R"(Launch(handle, extents, operands, results, flat)
--

The launch of a kernel; its arguments are those of a `KernelStep`.)";

PyType_Slot launch_slots[] = {
    {Py_tp_doc, const_cast<char*>(kLaunchDoc)},
    {Py_tp_new, slot(launch_new)},
    {Py_tp_dealloc, slot(launch_dealloc)},
    {Py_tp_methods, launch_methods},
    {Py_tp_getset, launch_properties},
    {0, nullptr},
};

PyType_Spec launch_spec = {"pyfusion.native.Launch", sizeof(Launch), 0, Py_TPFLAGS_DEFAULT, launch_slots};

PyObject* shape_of_function(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return takes("shape_of", 2, count) ? shape_of(args[0], args[1]) : nullptr;
}

PyObject* word_of(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes("scalar_word", 2, count)) return nullptr;
  Ref bytes(PyUnicode_AsASCIIString(args[1]));
  int64_t word;
  if (!bytes || !scalar_word(args[0], PyBytes_AsString(bytes)[0], &word)) return nullptr;
  return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(word));
}

PyMethodDef functions[] = {
    {"shape_of", many<shape_of_function>(), METH_FASTCALL,
     "shape_of(env, extents)\n--\n\n"
     "The extents that an environment gives: each an int, or a pair of a slot and a dimension; None for that: the\n"
     "slot holds the extent."},
    {"scalar_word", many<word_of>(), METH_FASTCALL,
     "scalar_word(number, code)\n--\n\nThe bits of a number in a type, by its code; above them zeros."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_launches(PyObject* module) {
  return add_type(module, &launch_spec, "Launch") != nullptr && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace core
