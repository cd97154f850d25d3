// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of NumPy over the memory of values.
#include "core.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_1_API_VERSION
#include <numpy/arrayobject.h>

namespace core {
namespace {

PyObject* numpy_name;

PyObject* view(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes("view", 2, count)) return nullptr;
  if (!is_value(args[0]) || as_value(args[0])->buffer == nullptr || as_value(args[0])->ptr == nullptr ||
      as_value(args[0])->strides == nullptr) {
    PyErr_Format(PyExc_TypeError, "view() takes a value that exists, not %R", args[0]);
    return nullptr;
  }
  Value* v = as_value(args[0]);
  int writable = PyObject_IsTrue(args[1]);
  Ref descr(writable < 0 ? nullptr : PyObject_GetAttr(v->dtype, numpy_name));
  if (!descr) return nullptr;
  if (!PyArray_DescrCheck(static_cast<PyObject*>(descr))) {
    PyErr_Format(PyExc_TypeError, "%R is no type of NumPy", static_cast<PyObject*>(descr));
    return nullptr;
  }
  std::vector<int64_t> shape, strides;
  if (!integers(v->shape, shape)) return nullptr;
  bool dense = v->strides == Py_None;
  if (!dense) {
    if (!integers(v->strides, strides)) return nullptr;
    if (strides.size() != shape.size()) {
      PyErr_SetString(PyExc_ValueError, "a value has not a stride for each extent");
      return nullptr;
    }
    int64_t item = PyDataType_ELSIZE(reinterpret_cast<PyArray_Descr*>(static_cast<PyObject*>(descr)));
    for (int64_t& s : strides) s *= item;
  }
  void* data = PyLong_AsVoidPtr(v->ptr);
  if (data == nullptr) {
    if (PyErr_Occurred()) return nullptr;
    data = &runtime;  // NumPy takes address 0 for a request to allocate; nothing is read there
    for (int64_t extent : shape) dense = dense || extent == 0;
  }
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  auto* type = reinterpret_cast<PyArray_Descr*>(descr.release());  // which the call takes over
  Ref array(PyArray_NewFromDescr(&PyArray_Type, type, static_cast<int>(shape.size()),
                                 reinterpret_cast<npy_intp*>(shape.data()),
                                 dense ? nullptr : reinterpret_cast<npy_intp*>(strides.data()), data,
                                 writable ? NPY_ARRAY_WRITEABLE : 0, nullptr));
  if (!array) return nullptr;
  PyObject* owner = held(v->buffer);  // which this call takes over
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(static_cast<PyObject*>(array)), owner) < 0) return nullptr;
  return array.release();
}

PyMethodDef functions[] = {
    {"view", many<view>(), METH_FASTCALL,
     "view(value, writable)\n--\n\n"
     "An array of NumPy over the memory of a value, which it keeps alive."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_arrays(PyObject* module) {
  import_array1(false);
  numpy_name = PyUnicode_InternFromString("numpy");
  return numpy_name != nullptr && PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace core
