// Reads a CPU profile: the self time of each function, and of each of our modules including what it calls outside of them.
import { placeOf } from './places.js'

/** Summarises a profile as `{ functions, modules, outside, total }`, most expensive first, in microseconds of samples. */
export function readProfile({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map(node => [node.id, { ...node, place: placeOf(node.callFrame), parent: undefined }]))
  for (const node of byId.values()) for (const child of node.children ?? []) byId.get(child).parent = node
  const functions = new Map()
  const modules = new Map()
  let total = 0
  for (const [at, id] of samples.entries()) {
    const node = byId.get(id)
    const micros = timeDeltas[at]
    if (node.callFrame.functionName === '(idle)' || isProfiler(node)) continue
    total += micros
    add(functions, nameOf(node), micros)
    const owner = ownerOf(node)
    add(modules, owner ? owner.place.file : outsideOf(node), micros)
  }
  return { functions: sorted(functions), modules: sorted(modules), total }
}

/** The profiler's own start and stop. */
function isProfiler(node) {
  for (let at = node; at; at = at.parent) if (at.place.file.endsWith('bench/profile/hook.js')) return true
  return false
}

/** The nearest of our functions up the stack. */
function ownerOf(node) {
  for (let at = node; at; at = at.parent) if (at.place.isOwn) return at
  return undefined
}

/** The first function of a stack without any of ours. */
function outsideOf(node) {
  let top = node
  while (top.parent?.parent) top = top.parent
  return top.place.file === ''
    ? top.callFrame.functionName
    : `${top.callFrame.functionName || 'anonymous'} ${top.place.file}`
}

function nameOf({ callFrame, place }) {
  // The build renames private methods.
  const isPrivate = callFrame.functionName.startsWith('#')
  const name = (isPrivate && place.name) || callFrame.functionName || '(anonymous)'
  return place.file === '' ? name : `${name} ${place.file}:${place.line}`
}

const add = (sums, name, micros) => sums.set(name, (sums.get(name) ?? 0) + micros)
const sorted = sums => [...sums].sort(([, a], [, b]) => b - a).map(([name, micros]) => ({ name, micros }))
