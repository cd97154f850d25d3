// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core.h"

namespace core {

Runtime runtime;

bool is_connected() {
  if (runtime.launch != nullptr) return true;
  PyErr_SetString(PyExc_RuntimeError, "libpyfusion_rt is not loaded: see pyfusion.runtime.library.load");
  return false;
}

bool takes(const char* name, Py_ssize_t wanted, Py_ssize_t given) {
  if (given == wanted) return true;
  PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd", name, wanted, given);
  return false;
}

PyTypeObject* add_type(PyObject* module, PyType_Spec* spec, const char* name) {
  PyObject* type = PyType_FromSpec(spec);
  if (type == nullptr || PyModule_AddObjectRef(module, name, type) < 0) {
    Py_XDECREF(type);
    return nullptr;
  }
  return reinterpret_cast<PyTypeObject*>(type);
}

namespace {

constexpr long kVersion = 1;  // pyfusion/native/__init__.py asks for it

PyObject* connect(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes("connect", 3, count)) return nullptr;
  unsigned long long addresses[3];
  for (int i = 0; i < 3; ++i) {
    addresses[i] = PyLong_AsUnsignedLongLong(args[i]);
    if (PyErr_Occurred()) return nullptr;
  }
  runtime.launch = reinterpret_cast<decltype(runtime.launch)>(addresses[0]);
  runtime.alloc = reinterpret_cast<decltype(runtime.alloc)>(addresses[1]);
  runtime.free = reinterpret_cast<decltype(runtime.free)>(addresses[2]);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"connect", many<connect>(), METH_FASTCALL,
     "connect(launch, alloc, free)\n--\n\nTells the addresses of the functions of libpyfusion_rt."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "_core",
    "What every flush does, in C++; see pyfusion.native.",
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace
}  // namespace core

PyMODINIT_FUNC PyInit__core() {
  core::Ref module(PyModule_Create(&core::definition));
  if (!module || PyModule_AddIntConstant(module, "VERSION", core::kVersion) < 0 || !core::add_values(module) ||
      !core::add_buffers(module) || !core::add_blocks(module) || !core::add_launches(module) ||
      !core::add_arrays(module)) {
    return nullptr;
  }
  return module.release();
}
