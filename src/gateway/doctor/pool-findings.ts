import type { Fault, Finding } from './finding.ts'
import type { Inspected } from './inspect.ts'
import type { Promised } from './promise.ts'

/** The findings on a pool: one line where all is well, else one for each fault, whichever replicas have it. */
export function poolFindings(
  { pool, chats, embeddings, images, passed }: Promised,
  inspected: readonly Inspected[],
): Finding[] {
  const isFit = ({ faults }: Inspected) => !faults.some(({ state }) => state === 'problem')
  const common = {
    check: 'pools',
    subject: pool.name,
    replicas: { fit: inspected.filter(isFit).length, of: inspected.length },
  }
  const faults = distinct(inspected.flatMap(each => each.faults))
  if (faults.length === 0) {
    const served = [...chats, ...embeddings, ...images, ...passed]
    const unused = served.length === 0 ? ['no model is served by it'] : []
    const notes = [pool.model, ...unused, ...distinct(inspected.flatMap(each => each.notes)), ...slowest(inspected)]
    return [{ ...common, state: 'ok', text: notes.join(', ') }]
  }
  return faults.map(fault => {
    const { state, text, hint } = fault
    return { ...common, state, text: `${text}${whichOf(inspected, fault)}`, ...(hint !== undefined && { hint }) }
  })
}

/** Where not all of them are meant, and the text does not say which. */
function whichOf(inspected: readonly Inspected[], fault: Fault): string {
  const numbers = inspected.flatMap(({ faults }, index) => (faults.some(each => same(each, fault)) ? [index + 1] : []))
  if (numbers.length === inspected.length) return ''
  return ` (replica ${numbers.join(', ')})`
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const distinct = <T>(all: readonly T[]): T[] =>
  all.filter((each, at) => all.findIndex(other => same(each, other)) === at)

function slowest(inspected: readonly Inspected[]): string[] {
  const times = inspected.flatMap(({ firstMs }) => (firstMs === undefined ? [] : [firstMs]))
  return times.length === 0 ? [] : [`${Math.round(Math.max(...times))} ms`]
}
