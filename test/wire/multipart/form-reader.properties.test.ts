import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formType } from '../../../src/wire/multipart/boundary.ts'
import { times } from '../../support/times.ts'
import { cutAt, forms, headOf, type TestForm, templateOf } from './forms.ts'
import { rewritten } from './rewritten.ts'

const cuts = fc.array(fc.nat(), { maxLength: 12 })

/** Another reader's result: name, file name, type and bytes of each part. */
async function partsIn(boundary: string, bytes: Uint8Array<ArrayBuffer>): Promise<unknown[]> {
  const form = await new Response(bytes, { headers: { 'content-type': formType(boundary) } }).formData()
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('base64')],
    ),
  )
}

/** The standard's reading of the whole form. */
const expected = ({ boundary, parts, end }: TestForm): Buffer => {
  const ours = { name: 'model', value: Buffer.from('kokoro-82m') }
  const all = parts.map(part => (part.name === 'model' ? ours : part))
  return templateOf(boundary, all.some(part => part === ours) ? all : [...all, ours], end)
}

it('a form is the same but for its model, wherever its bytes are cut, and its length is known', () => {
  fc.assert(
    fc.property(forms, cuts, (form, places) => {
      const sent = templateOf(form.boundary, form.parts, form.end)

      const { bytes, fault, shift } = rewritten(form.boundary, cutAt(sent, places))

      expect(fault).toBeUndefined()
      expect(bytes.toString('latin1')).toBe(expected(form).toString('latin1'))
      expect(sent.length + shift + 'kokoro-82m'.length).toBe(bytes.length)
    }),
    { numRuns: times(10_000) },
  )
})

it('another reader finds in it what it finds in what was sent, but for the model', async () => {
  await fc.assert(
    fc.asyncProperty(forms, cuts, async ({ boundary, parts, end }, places) => {
      // That reader takes a boundary without its dashes for one.
      fc.pre(parts.every(({ value }) => !value.includes(boundary)))
      const sent = templateOf(boundary, parts, end)
      const { bytes } = rewritten(boundary, cutAt(sent, places))

      const [before, after] = [await partsIn(boundary, Buffer.from(sent)), await partsIn(boundary, Buffer.from(bytes))]
      const ours = ['model', 'kokoro-82m']
      const replaced = before.map(part => (Array.isArray(part) && part[0] === 'model' ? ours : part))
      expect(after).toEqual(replaced.some(part => part === ours) ? replaced : [...replaced, ours])
    }),
    { numRuns: times(2500) },
  )
})

const add = fc.constantFrom(
  '',
  '\r',
  '\n',
  '"',
  ';',
  '\\',
  '--',
  'model',
  '\r\n',
  'name=',
  '; name="model"',
  '\r\n\r\n',
)
const changes = fc.array(fc.record({ at: fc.nat(), remove: fc.nat({ max: 3 }), add }), { minLength: 1, maxLength: 3 })

it('a form with something changed is refused, or read alike with no other model, wherever its bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(forms, cuts, changes, async ({ boundary, parts, end }, places, edits) => {
      let sent = templateOf(boundary, parts, end)
      for (const { at, remove, add } of edits) {
        const from = at % (sent.length + 1)
        sent = Buffer.concat([sent.subarray(0, from), Buffer.from(add), sent.subarray(from + remove)])
      }

      const whole = rewritten(boundary, [sent])
      const bytewise = Array.from(sent, byte => Buffer.of(byte))

      for (const pieces of [cutAt(sent, places), bytewise]) {
        const other = rewritten(boundary, pieces)
        expect(other.fault).toEqual(whole.fault)
        if (!whole.fault) expect(other.bytes.equals(whole.bytes)).toBe(true)
        // Nobody gets the end of a form that is refused.
        else expect(other.bytes.includes(`--${boundary}--`)).toBe(false)
      }
      const read = whole.fault ? [] : await partsIn(boundary, Buffer.from(whole.bytes)).catch(() => [])
      for (const part of read)
        if (Array.isArray(part) && part[0] === 'model') expect(part).toEqual(['model', 'kokoro-82m'])
    }),
    { numRuns: times(5000) },
  )
})

it('no more is kept of a form than the headers of a part and a boundary', () => {
  const head = headOf({ name: 'file', value: Buffer.alloc(0), filename: 'a.wav' })
  const start = Buffer.from(`--b0undary\r\n${head}`)
  const file = Buffer.alloc(65_536, '\r\n--b0undar')
  let written = 0

  rewritten('b0undary', [start, ...Array.from({ length: 100 }, () => file)], (sent, received) => {
    written = sent
    expect(received - sent).toBeLessThan(100)
  })

  expect(written).toBeGreaterThan(6_500_000)
})
