// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbering of a block and its key. All that these functions hold of values is borrowed, so that the references of
// a value are those of the block, which are counted, and those of others.
#include <algorithm>

#include "core.h"

namespace core {
namespace {

struct Block {
  PyObject_HEAD
  PyObject* queue;
  PyObject* leaves;
  PyObject* scalars;
  PyObject* dyn;
  PyObject* survivors;
  PyObject* dying;
  PyObject* key;
  PyObject* failed;
  PyObject* precision;
  PyObject* device;
};

PyTypeObject* block_type;
PyObject* unclosed;  // a list of the blocks whose numbering has not ended

Block* as_block(PyObject* o) { return reinterpret_cast<Block*>(o); }

int block_traverse(PyObject* self, visitproc visit, void* arg) {
  Block* b = as_block(self);
  Py_VISIT(Py_TYPE(self));
  for (PyObject* o : {b->queue, b->leaves, b->scalars, b->dyn, b->key, b->device}) Py_VISIT(o);
  return 0;
}

int block_clear(PyObject* self) {
  Block* b = as_block(self);
  for (PyObject** o : {&b->queue, &b->leaves, &b->scalars, &b->dyn, &b->survivors, &b->dying, &b->key, &b->failed,
                       &b->precision, &b->device}) {
    Py_CLEAR(*o);
  }
  return 0;
}

void block_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  block_clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

#define FIELD(name) {#name, T_OBJECT_EX, offsetof(Block, name), 0, nullptr}
PyMemberDef block_members[] = {
    FIELD(queue),     FIELD(leaves), FIELD(scalars), FIELD(dyn),       FIELD(survivors),
    FIELD(dying),     FIELD(key),    FIELD(failed),  FIELD(precision), FIELD(device),
    {nullptr, 0, 0, 0, nullptr},
};
#undef FIELD

constexpr const char* kBlockDoc =
    R"(Operations in program order with what they need from outside.

Attributes:
    queue: the pending values; `queue[i].slot == i` while the block is open.
    leaves: concrete values that the block reads, in order of first use.
    scalars: Python scalars in order of use.
    dyn: view bounds and extents, in order of use.
    survivors: numbers of the results that something outside the block refers to.
    precision: the flag's value, read once.
    device: where the block runs.
    failed: a leaf is a failed value; there are no `dying` then.
    dying: numbers of the leaves whose buffer nothing outside the block refers to.
    key: hashable; equal for blocks that the same plan runs.)";

PyType_Slot block_slots[] = {
    {Py_tp_doc, const_cast<char*>(kBlockDoc)},
    {Py_tp_members, block_members},
    {Py_tp_traverse, slot(block_traverse)},
    {Py_tp_clear, slot(block_clear)},
    {Py_tp_dealloc, slot(block_dealloc)},
    {0, nullptr},
};

PyType_Spec block_spec = {"pyfusion.stream.block.Block", sizeof(Block), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                          block_slots};

// The parts of a record, borrowed.
struct Record {
  PyObject *op, *args, *attrs, *bounds;
  Py_ssize_t count;
  PyObject* arg(Py_ssize_t i) const { return PyTuple_Check(args) ? PyTuple_GetItem(args, i) : PyList_GetItem(args, i); }
};

bool record_of(Value* v, Record& out) {
  if (v->record == nullptr || !PyTuple_Check(v->record) || PyTuple_Size(v->record) != 5) {
    PyErr_SetString(PyExc_TypeError, "a queued value has no record");
    return false;
  }
  out = {PyTuple_GetItem(v->record, 0), PyTuple_GetItem(v->record, 1), PyTuple_GetItem(v->record, 2),
         PyTuple_GetItem(v->record, 3), 0};
  if (!PyTuple_Check(out.args) && !PyList_Check(out.args)) {
    PyErr_Format(PyExc_TypeError, "%R: operands are given as a tuple, not as %R", out.op, Py_TYPE(out.args));
    return false;
  }
  out.count = PyTuple_Check(out.args) ? PyTuple_Size(out.args) : PyList_Size(out.args);
  return true;
}

// The values of a queue that more refers to than the queue and their uses, by number.
std::vector<int32_t> outside(const std::vector<Value*>& values, const std::vector<int32_t>& uses, int64_t base) {
  std::vector<int32_t> found;
  for (size_t i = 0; i < values.size(); ++i) {
    if (references(reinterpret_cast<PyObject*>(values[i])) - base > uses[i]) found.push_back(static_cast<int32_t>(i));
  }
  return found;
}

// The values of a queue; false with an exception set.
bool values_of(PyObject* queue, std::vector<Value*>& out) {
  if (!PyList_Check(queue)) {
    PyErr_Format(PyExc_TypeError, "a queue is a list, not %R", Py_TYPE(queue));
    return false;
  }
  Py_ssize_t count = PyList_Size(queue);
  out.reserve(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Value* v = value_at(queue, i);
    if (v == nullptr) return false;
    out.push_back(v);
  }
  return true;
}

// Whether nothing but one value refers to memory of the pool or of a device; -1 with an exception set.
int is_last(Value* leaf) {
  if (leaf->strides != Py_None || references(leaf->buffer) != 1) return 0;
  if (Py_TYPE(leaf->buffer) == buffer_type) return reinterpret_cast<Buffer*>(leaf->buffer)->owner == Py_None;
  Ref owner(PyObject_GetAttrString(leaf->buffer, "owner"));
  return owner ? static_cast<PyObject*>(owner) == Py_None : -1;
}

PyObject* list_of(const std::vector<PyObject*>& objects) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(objects.size()));
  for (size_t i = 0; list != nullptr && i < objects.size(); ++i) PyList_SetItem(list, i, held(objects[i]));
  return list;
}

PyObject* list_of(const std::vector<int32_t>& numbers) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(numbers.size()));
  for (size_t i = 0; list != nullptr && i < numbers.size(); ++i) {
    PyObject* number = PyLong_FromLong(numbers[i]);
    if (number == nullptr) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SetItem(list, i, number);
  }
  return list;
}

constexpr int32_t kScalar = -1;  // in keys, where -2, -3 and so on are leaves

// What numbers a block: it fills in the key's words and what the block holds.
struct Numbering {
  std::vector<Value*> queue;
  std::vector<int32_t> uses;
  std::vector<Value*> leaves;
  std::vector<int32_t> leaf_uses;
  std::vector<PyObject*> scalars, dyn, attrs;
  std::vector<int32_t> survivors, dying;
  std::vector<int32_t> words;
  bool failed = false;

  ~Numbering() {
    if (numbered) return;
    for (Value* v : queue) v->slot = -1;
    for (Value* leaf : leaves) leaf->slot = -1;
  }
  bool number(PyObject* list);
  bool operand(Value* a);
  bool layouts();
  bool numbered = false;
};

bool Numbering::operand(Value* a) {
  if (a->slot >= 0) {
    if (a->slot >= static_cast<long long>(uses.size()) || queue[a->slot] != a) {
      PyErr_SetString(PyExc_RuntimeError, "a value has the number of another block");
      return false;
    }
    ++uses[a->slot];
  } else if (a->slot == -1) {
    a->slot = -2 - static_cast<long long>(leaves.size());
    leaves.push_back(a);
    leaf_uses.push_back(1);
    failed = failed || is_set(a->error);
  } else {
    ++leaf_uses[-2 - a->slot];
  }
  words.push_back(static_cast<int32_t>(a->slot));
  return true;
}

bool Numbering::number(PyObject* list) {
  if (!values_of(list, queue)) return false;
  uses.resize(queue.size());
  words.reserve(8 * queue.size() + 16);
  for (size_t i = 0; i < queue.size(); ++i) {
    Value* v = queue[i];
    Record r;
    if (!record_of(v, r)) return false;
    long code = code_of(r.op), type = code < 0 ? -1 : code_of(v->dtype);
    if (type < 0) return false;
    // The number of operands and whether there are attributes tell where the next operation begins.
    words.push_back(static_cast<int32_t>(code));
    words.push_back(static_cast<int32_t>(type));
    words.push_back(static_cast<int32_t>(r.count * 2 + (r.attrs != Py_None)));
    if (r.attrs != Py_None) attrs.push_back(r.attrs);
    for (Py_ssize_t b = 0, n = rank_of(r.bounds); b < n; ++b) dyn.push_back(PyTuple_GetItem(r.bounds, b));
    if (PyErr_Occurred()) return false;
    for (Py_ssize_t n = 0; n < r.count; ++n) {
      PyObject* a = r.arg(n);
      if (!is_value(a)) {
        scalars.push_back(a);
        words.push_back(kScalar);
      } else if (!operand(as_value(a))) {
        return false;
      }
    }
    v->slot = static_cast<long long>(i);
  }
  survivors = outside(queue, uses, 1);
  words.insert(words.end(), survivors.begin(), survivors.end());
  words.push_back(-1);
  if (!failed && !layouts()) return false;
  return true;
}

bool Numbering::layouts() {
  std::vector<int32_t> shared = outside(leaves, leaf_uses, 0);
  for (Value* leaf : leaves) {
    if (leaf->desc == nullptr || leaf->buffer == nullptr || leaf->strides == nullptr) {
      PyErr_SetString(PyExc_RuntimeError, "a block reads a value that does not exist yet");
      return false;
    }
    long desc = PyLong_AsLong(leaf->desc);
    if (desc == -1 && PyErr_Occurred()) return false;
    words.push_back(static_cast<int32_t>(desc));
  }
  for (size_t i = 0, next = 0; i < leaves.size(); ++i) {
    if (next < shared.size() && shared[next] == static_cast<int32_t>(i)) {
      ++next;
      continue;
    }
    int last = is_last(leaves[i]);
    if (last < 0) return false;
    if (last != 0) dying.push_back(static_cast<int32_t>(i));
  }
  words.push_back(-1);
  words.insert(words.end(), dying.begin(), dying.end());
  return true;
}

// The precision, the device, the words as bytes, then what attributes there are.
PyObject* key_of(const Numbering& n, PyObject* precision, PyObject* device) {
  Ref bytes(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(n.words.data()),
                                      static_cast<Py_ssize_t>(n.words.size() * sizeof(int32_t))));
  if (!bytes) return nullptr;
  PyObject* key = PyTuple_New(static_cast<Py_ssize_t>(3 + n.attrs.size()));
  if (key == nullptr) return nullptr;
  PyTuple_SetItem(key, 0, held(precision));
  PyTuple_SetItem(key, 1, held(device));
  PyTuple_SetItem(key, 2, bytes.release());
  for (size_t i = 0; i < n.attrs.size(); ++i) PyTuple_SetItem(key, static_cast<Py_ssize_t>(3 + i), held(n.attrs[i]));
  return key;
}

PyObject* open_block(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (!takes("open_block", 3, count)) return nullptr;
  Ref made(PyType_GenericAlloc(block_type, 0));
  if (!made) return nullptr;
  Block* b = as_block(made);
  b->queue = held(args[0]);
  b->precision = held(args[1]);
  b->device = held(args[2]);
  Numbering n;
  if (!n.number(args[0])) return nullptr;
  // What is held from here on does not count any more.
  b->failed = held(n.failed ? Py_True : Py_False);
  std::vector<PyObject*> leaves(n.leaves.size());
  for (size_t i = 0; i < leaves.size(); ++i) leaves[i] = reinterpret_cast<PyObject*>(n.leaves[i]);
  b->leaves = list_of(leaves);
  b->scalars = list_of(n.scalars);
  b->dyn = list_of(n.dyn);
  b->survivors = list_of(n.survivors);
  if (!n.failed) b->dying = list_of(n.dying);
  b->key = key_of(n, args[1], args[2]);
  if (b->leaves == nullptr || b->scalars == nullptr || b->dyn == nullptr || b->survivors == nullptr ||
      (b->dying == nullptr && !n.failed) || b->key == nullptr || PyList_Append(unclosed, made) < 0) {
    return nullptr;
  }
  n.numbered = true;
  return made.release();
}

PyObject* close_block(PyObject*, PyObject* block) {
  if (Py_TYPE(block) != block_type) {
    PyErr_Format(PyExc_TypeError, "close_block() takes a block, not %R", block);
    return nullptr;
  }
  Block* b = as_block(block);
  PyObject *queue = b->queue, *leaves = b->leaves;
  if (queue == nullptr || leaves == nullptr || !PyList_Check(queue) || !PyList_Check(leaves)) {
    PyErr_SetString(PyExc_TypeError, "the block has lost its queue or its leaves");
    return nullptr;
  }
  for (PyObject* list : {leaves, queue}) {
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {  // None in a queue: it was cut into parts
      PyObject* v = PyList_GetItem(list, i);
      if (is_value(v)) as_value(v)->slot = -1;
    }
  }
  for (Py_ssize_t i = PyList_Size(unclosed); i-- > 0;) {  // it may also be closed twice
    if (PyList_GetItem(unclosed, i) == block && PyList_SetSlice(unclosed, i, i + 1, nullptr) < 0) return nullptr;
  }
  Ref all(held(queue));
  for (Py_ssize_t i = 0; i < PyList_Size(queue); ++i) {  // may run destructors
    Ref v(held(PyList_GetItem(queue, i)));
    if (is_value(v) && as_value(v)->stream == Py_None) put(as_value(v)->record, held(Py_None));
  }
  Py_RETURN_NONE;
}

bool is_pending(PyObject* a) { return is_value(a) && is_set(as_value(a)->stream); }

// Which values of a queue are needed; false with an exception set.
bool find_needed(const std::vector<Value*>& queue, std::vector<char>& live) {
  std::vector<int32_t> uses(queue.size());
  auto is_before = [](PyObject* a, size_t i) {
    return is_pending(a) && as_value(a)->slot >= 0 && static_cast<size_t>(as_value(a)->slot) < i;
  };
  Record r;
  for (size_t i = 0; i < queue.size(); ++i) {
    if (!record_of(queue[i], r)) return false;
    for (Py_ssize_t n = 0; n < r.count; ++n) {
      if (is_before(r.arg(n), i)) ++uses[as_value(r.arg(n))->slot];
    }
    queue[i]->slot = static_cast<long long>(i);
  }
  live.resize(queue.size());
  for (int32_t number : outside(queue, uses, 1)) live[number] = 1;
  for (size_t i = queue.size(); i-- > 0;) {
    if (live[i] == 0) continue;
    if (!record_of(queue[i], r)) return false;
    for (Py_ssize_t n = 0; n < r.count; ++n) {
      if (is_before(r.arg(n), i)) live[as_value(r.arg(n))->slot] = 1;
    }
  }
  return true;
}

PyObject* needed(PyObject*, PyObject* list) {
  struct Numbered {
    std::vector<Value*> values;
    ~Numbered() {
      for (Value* v : values) v->slot = -1;
    }
  } numbered;
  const std::vector<Value*>& queue = numbered.values;
  std::vector<char> live;
  if (!values_of(list, numbered.values) || !find_needed(queue, live)) return nullptr;
  std::vector<PyObject*> kept;
  for (size_t i = 0; i < queue.size(); ++i) {
    if (live[i] != 0) kept.push_back(reinterpret_cast<PyObject*>(queue[i]));
  }
  return list_of(kept);
}

PyMethodDef functions[] = {
    {"open_block", many<open_block>(), METH_FASTCALL,
     "open_block(queue, precision, device)\n--\n\nNumbers the values of a queue; `close_block` must follow."},
    {"close_block", one<close_block>, METH_O,
     "close_block(block)\n--\n\nEnds the numbering and lets go of what the finished operations held."},
    {"needed", one<needed>, METH_O,
     "needed(queue)\n--\n\n"
     "The values of a queue that something outside needs, directly or through others."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_blocks(PyObject* module) {
  block_type = add_type(module, &block_spec, "Block");
  unclosed = block_type == nullptr ? nullptr : PyList_New(0);
  return unclosed != nullptr && PyModule_AddObjectRef(module, "unclosed", unclosed) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace core
