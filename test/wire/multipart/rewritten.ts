import { type Denial, invalid } from '../../../src/policy/denial.ts'
import { FormReader, MODEL } from '../../../src/wire/multipart/form-reader.ts'

/** The form as a backend receives it that knows the model as kokoro-82m. */
export interface Rewritten {
  /** Up to the fault, if there is one. */
  readonly bytes: Buffer
  readonly fault?: Denial
  readonly shift: number
}

const KNOWN = ['svc-voice', 'voice-alias']

/** Takes the pieces of a form one by one; `each` hears how much went out of how much that came. */
export function rewritten(
  boundary: string,
  pieces: readonly Buffer[],
  each: (sent: number, received: number) => void = () => {},
): Rewritten {
  const form = new FormReader(boundary, model => (KNOWN.includes(model) ? undefined : invalid('model', 'unknown')))
  const out: Buffer[] = []
  let [sent, received] = [0, 0]
  for (const piece of [...pieces, undefined]) {
    const read = piece ? form.push(piece) : form.end()
    if ('denial' in read) return { bytes: Buffer.concat(out), fault: read.denial, shift: form.shift }
    for (const part of read) {
      const bytes = part === MODEL ? Buffer.from('kokoro-82m') : part
      out.push(bytes)
      sent += bytes.length
    }
    received += piece?.length ?? 0
    if (piece) each(sent, received)
  }
  return { bytes: Buffer.concat(out), shift: form.shift }
}
