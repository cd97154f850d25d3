// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, and the numbers of their layouts.
#include <limits>
#include <string>
#include <unordered_map>

#include "core.h"

namespace core {

PyTypeObject* coded_type;
PyTypeObject* value_type;

namespace {

// -- Coded ------------------------------------------------------------------------------------------------------------

PyMemberDef coded_members[] = {
    {"code", T_LONG, offsetof(Coded, code), 0, "a small number, in plan keys"},
    {nullptr, 0, 0, 0, nullptr},
};

PyType_Slot coded_slots[] = {
    {Py_tp_doc, const_cast<char*>("What has a small number for plan keys.")},
    {Py_tp_members, coded_members},
    {0, nullptr},
};

PyType_Spec coded_spec = {"pyfusion.native.Coded", sizeof(Coded), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          coded_slots};

// -- Value ------------------------------------------------------------------------------------------------------------

PyObject* value_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = PyType_GenericAlloc(type, 0);
  if (self != nullptr) as_value(self)->slot = -1;
  return self;
}

int value_traverse(PyObject* self, visitproc visit, void* arg) {
  Value* v = as_value(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(v->shape);
  Py_VISIT(v->dtype);
  Py_VISIT(v->stream);
  Py_VISIT(v->record);
  Py_VISIT(v->buffer);
  Py_VISIT(v->strides);
  Py_VISIT(v->error);
  return 0;
}

int value_clear(PyObject* self) {
  Value* v = as_value(self);
  for (PyObject** o : {&v->shape, &v->dtype, &v->stream, &v->record, &v->buffer, &v->ptr, &v->strides, &v->desc,
                       &v->error}) {
    Py_CLEAR(*o);
  }
  return 0;
}

void value_dealloc(PyObject* self) {
  // A chain of values goes through the tuples of their records, which do not recurse without end.
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  value_clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

#define FIELD(name) {#name, T_OBJECT_EX, offsetof(Value, name), 0, nullptr}
PyMemberDef value_members[] = {
    FIELD(shape),
    FIELD(dtype),
    FIELD(stream),
    FIELD(record),
    FIELD(buffer),
    FIELD(ptr),
    FIELD(strides),
    FIELD(desc),
    FIELD(error),
    {"slot", T_LONGLONG, offsetof(Value, slot), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
#undef FIELD

constexpr const char* kValueDoc =
    R"(A value that may not exist yet.

`shape` is a tuple of ints and `dtype` a `DType`, always set. The rest depends on the state:

- pending: `stream` is the stream that holds it; `record` is the tuple
  `(op, args, attrs, dyn, site)`.
- concrete: `stream` is None, `error` None; `buffer` owns the memory, `ptr` is the address of
  element 0, `strides` counts elements, None for C-contiguous data; `desc` is the number of its
  layout in plan keys.
- failed: `stream` is None and `error` an `ExecutionError`.

Its device is that of the stream that holds it or of the buffer; see `device_of`.

`slot` is its number inside the block that is being flushed, -1 outside.)";

PyType_Slot value_slots[] = {
    {Py_tp_doc, const_cast<char*>(kValueDoc)},
    {Py_tp_members, value_members},
    {Py_tp_new, slot(value_new)},
    {Py_tp_traverse, slot(value_traverse)},
    {Py_tp_clear, slot(value_clear)},
    {Py_tp_dealloc, slot(value_dealloc)},
    {0, nullptr},
};

PyType_Spec value_spec = {"pyfusion.ir.value.Value", sizeof(Value), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                          value_slots};

// -- Layouts ----------------------------------------------------------------------------------------------------------

// The number of a layout class (element type, contiguous or not, which extents are 1) as a new reference.
PyObject* layout_desc(PyObject* dtype, PyObject* shape, bool contiguous) {
  static auto* numbers = new std::unordered_map<std::string, PyObject*>;
  long code = code_of(dtype);
  Py_ssize_t rank = code < 0 ? -1 : rank_of(shape);
  if (rank < 0) return nullptr;
  std::string layout(5 + (rank + 7) / 8, '\0');  // no memory of its own up to rank 80
  for (int byte = 0; byte < 4; ++byte) layout[byte] = static_cast<char>(code >> 8 * byte);
  layout[4] = static_cast<char>(rank % 128 * 2 + contiguous);  // with the length this tells each rank
  for (Py_ssize_t d = 0; d < rank; ++d) {
    long long extent = PyLong_AsLongLong(PyTuple_GetItem(shape, d));
    if (extent == -1 && PyErr_Occurred()) return nullptr;
    if (extent == 1) layout[5 + d / 8] = static_cast<char>(layout[5 + d / 8] | 1 << d % 8);
  }
  auto known = numbers->find(layout);
  if (known != numbers->end()) return held(known->second);
  PyObject* made = PyLong_FromSize_t(numbers->size());
  if (made != nullptr) numbers->emplace(std::move(layout), held(made));
  return made;
}

PyObject* concrete_function(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes("concrete", 5, count)) return nullptr;
  return concrete(args[0], args[1], args[2], args[3], args[4]);
}

PyObject* contiguous_strides(PyObject*, PyObject* shape) {
  std::vector<int64_t> strides;
  if (!integers(shape, strides)) return nullptr;
  strides = dense_strides(strides);
  Ref made(PyTuple_New(static_cast<Py_ssize_t>(strides.size())));
  for (size_t d = 0; made && d < strides.size(); ++d) {
    PyObject* stride = PyLong_FromLongLong(strides[d]);
    if (stride == nullptr) return nullptr;
    PyTuple_SetItem(made, static_cast<Py_ssize_t>(d), stride);
  }
  return made.release();
}

// -- What a block does with its values -----------------------------------------------------------------------------

PyObject* bind(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes("bind", 4, count)) return nullptr;
  PyObject *queue = args[0], *survivors = args[1], *env = args[2], *slots = args[3];
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyList_Check(args[i])) continue;
    PyErr_Format(PyExc_TypeError, "bind() takes lists, not %R", Py_TYPE(args[i]));
    return nullptr;
  }
  Py_ssize_t results = PyList_Size(survivors);
  if (PyList_Size(slots) != results) {
    PyErr_SetString(PyExc_ValueError, "as many slots as survivors are needed");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < results; ++i) {
    PyObject* number = PyList_GetItem(survivors, i);
    long long slot = PyLong_AsLongLong(PyList_GetItem(slots, i));
    if (slot == -1 && PyErr_Occurred()) return nullptr;
    if (PyList_GetItem(env, slot) == Py_None) continue;
    Value* from = value_at(env, slot);
    Value* v = from == nullptr ? nullptr : value_at(queue, PyLong_AsSsize_t(number));
    if (v == nullptr) return nullptr;
    int same = PyObject_RichCompareBool(from->shape, v->shape, Py_EQ);
    if (same < 0) return nullptr;
    if (same == 0) return Py_BuildValue("(OO)", number, from->shape);
    if (from->buffer == nullptr || from->ptr == nullptr || from->strides == nullptr || from->desc == nullptr) {
      PyErr_SetString(PyExc_TypeError, "a step has left a value without memory");
      return nullptr;
    }
    put(v->buffer, held(from->buffer));
    put(v->ptr, held(from->ptr));
    put(v->strides, held(from->strides));
    put(v->desc, held(from->desc));
    put(v->error, held(Py_None));
    put(v->stream, held(Py_None));
  }
  Py_RETURN_NONE;
}

PyObject* forget(PyObject*, PyObject* queue) {
  if (!PyList_Check(queue)) {
    PyErr_Format(PyExc_TypeError, "forget() takes a list, not %R", Py_TYPE(queue));
    return nullptr;
  }
  for (Py_ssize_t i = PyList_Size(queue) - 1; i >= 0 && i < PyList_Size(queue); --i) {
    Value* v = value_at(queue, i);
    if (v == nullptr) return nullptr;
    if (v->stream == Py_None) continue;
    Ref self(held(reinterpret_cast<PyObject*>(v)));
    put(v->error, held(Py_None));
    put(v->buffer, held(Py_None));
    put(v->stream, held(Py_None));
  }
  if (PyErr_Occurred()) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"concrete", many<concrete_function>(), METH_FASTCALL,
     "concrete(dtype, shape, buffer, ptr, strides)\n--\n\n"
     "A value over memory that exists; strides count elements, None means C-contiguous."},
    {"contiguous_strides", one<contiguous_strides>, METH_O,
     "contiguous_strides(shape)\n--\n\nStrides in elements of C-contiguous data."},
    {"bind", many<bind>(), METH_FASTCALL,
     "bind(queue, survivors, env, slots)\n--\n\n"
     "Gives each survivor the memory of the value in its slot of an environment, if there is one.\n\n"
     "Returns None, or the number and the shape of the first that was recorded with another shape."},
    {"forget", one<forget>, METH_O,
     "forget(queue)\n--\n\nNobody refers to what is still pending of a block that has run."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

long code_of(PyObject* o) {
  if (o == nullptr || !PyObject_TypeCheck(o, coded_type)) {
    PyErr_Format(PyExc_TypeError, "%R is no operation or element type", o == nullptr ? Py_None : o);
    return -1;
  }
  long code = reinterpret_cast<Coded*>(o)->code;
  if (code < 0 || code > std::numeric_limits<int32_t>::max()) {
    PyErr_Format(PyExc_OverflowError, "the code %ld is no number of a plan key", code);
    return -1;
  }
  return code;
}

Value* value_at(PyObject* list, Py_ssize_t index) {
  PyObject* o = PyList_GetItem(list, index);
  if (o == nullptr) return nullptr;
  if (is_value(o)) return as_value(o);
  PyErr_Format(PyExc_TypeError, "place %zd holds no value, but %R", index, o);
  return nullptr;
}

Py_ssize_t rank_of(PyObject* shape) {
  if (PyTuple_Check(shape)) return PyTuple_Size(shape);
  PyErr_Format(PyExc_TypeError, "%R is no tuple", shape);
  return -1;
}

bool integers(PyObject* tuple, std::vector<int64_t>& out) {
  Py_ssize_t count = rank_of(tuple);
  if (count < 0) return false;
  out.resize(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    out[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    if (out[i] == -1 && PyErr_Occurred()) return false;
  }
  return true;
}

int64_t size_of(PyObject* shape) {
  Py_ssize_t rank = rank_of(shape);
  int64_t size = rank < 0 ? -1 : 1;
  bool empty = false, large = false;
  for (Py_ssize_t d = 0; d < rank; ++d) {
    int64_t extent = PyLong_AsLongLong(PyTuple_GetItem(shape, d));
    if (extent == -1 && PyErr_Occurred()) return -1;
    if (extent < 0) {
      PyErr_Format(PyExc_ValueError, "%R has a negative extent", shape);
      return -1;
    }
    empty = empty || extent == 0;
    large = large || __builtin_mul_overflow(size, extent, &size);
  }
  if (empty) return 0;
  if (large) {
    PyErr_Format(PyExc_OverflowError, "%R has too many elements", shape);
    return -1;
  }
  return size;
}

std::vector<int64_t> dense_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  uint64_t step = 1;  // which may wrap round where another extent is 0
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = static_cast<int64_t>(step);
    step *= static_cast<uint64_t>(shape[d]);
  }
  return strides;
}

PyObject* concrete(PyObject* dtype, PyObject* shape, PyObject* buffer, PyObject* ptr, PyObject* strides) {
  Ref desc(layout_desc(dtype, shape, strides == Py_None));
  if (!desc) return nullptr;
  PyObject* made = value_new(value_type, nullptr, nullptr);
  if (made == nullptr) return nullptr;
  Value* v = as_value(made);
  v->shape = held(shape);
  v->dtype = held(dtype);
  v->record = held(Py_None);
  v->stream = held(Py_None);
  v->error = held(Py_None);
  v->buffer = held(buffer);
  v->ptr = held(ptr);
  v->strides = held(strides);
  v->desc = desc.release();
  return made;
}

bool add_values(PyObject* module) {
  coded_type = add_type(module, &coded_spec, "Coded");
  value_type = coded_type == nullptr ? nullptr : add_type(module, &value_spec, "Value");
  return value_type != nullptr && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace core
