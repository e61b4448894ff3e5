import fc from 'fast-check'

/** One part of a form, as a test says it. */
export interface TestPart {
  readonly name: string
  readonly value: Buffer
  readonly filename?: string
  readonly type?: string
  /** The form of the name: quoted, or bare as .NET writes it. */
  readonly bare?: boolean
  readonly isSized?: boolean
}

export function headOf({ name, value, filename, type, bare = false, isSized = false }: TestPart): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`
  const said = `Content-Disposition: form-data; name=${bare ? name : `"${name}"`}${file}\r\n`
  const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`
  return `${said}${typed}${isSized ? `Content-Length: ${value.length}\r\n` : ''}\r\n`
}

/** The bytes of a form. */
export const templateOf = (boundary: string, parts: readonly TestPart[], end = '\r\n'): Buffer =>
  Buffer.concat([
    ...parts.flatMap(part => [Buffer.from(`--${boundary}\r\n${headOf(part)}`), part.value, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--${end}`),
  ])

/** The form cut at these positions, in any order. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end))
}

const boundaries = fc.constantFrom('b0undary', '----WebKitFormBoundaryAbC', '--dashes--', 'a:b c', '0'.repeat(70))

/** Content that is all but a delimiter, and bytes of any kind. */
const values = (boundary: string): fc.Arbitrary<Buffer> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '\r\n',
          '\r',
          '\n',
          '--',
          '-',
          '\r\n--',
          '\r\n\r\n',
          `\r\n--${boundary.slice(0, -1)}`,
          `\r\n-${boundary}`,
        ),
        fc.constantFrom('name="model"', 'svc-voice', 'Content-Disposition: form-data; name="model"\r\n\r\nevil'),
        fc.string({ maxLength: 12 }),
        fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes)),
      ),
      { maxLength: 6 },
    )
    .map(pieces => Buffer.concat(pieces.map(piece => Buffer.from(piece))))
    .filter(value => !value.includes(`--${boundary}`))

const others = (boundary: string): fc.Arbitrary<TestPart> =>
  fc.record(
    {
      name: fc.constantFrom('file', 'language', 'timestamp_granularities[]', 'x', 'models', 'a.b'),
      value: values(boundary),
      filename: fc.constantFrom('a.wav', 'ä ö.wav', 'model', '', 'my (1); x=y.wav', '%22.wav'),
      type: fc.constantFrom('audio/wav', 'application/octet-stream', 'application/json'),
      isSized: fc.boolean(),
    },
    { requiredKeys: ['name', 'value'] },
  )

const models: fc.Arbitrary<TestPart> = fc.record(
  {
    name: fc.constant('model'),
    value: fc.constantFrom('svc-voice', 'voice-alias').map(name => Buffer.from(name)),
    type: fc.constantFrom('text/plain', 'text/plain; charset=utf-8'),
    isSized: fc.boolean(),
  },
  { requiredKeys: ['name', 'value'] },
)

export interface TestForm {
  readonly boundary: string
  readonly parts: readonly TestPart[]
  readonly end: string
}

/** Forms with at most one model, wherever it stands. */
export const forms: fc.Arbitrary<TestForm> = boundaries.chain(boundary =>
  fc
    .record({
      before: fc.array(others(boundary), { maxLength: 2 }),
      model: fc.option(models, { nil: undefined }),
      after: fc.array(others(boundary), { maxLength: 2 }),
      end: fc.constantFrom('', '\r\n', '\r\n\r\n'),
    })
    .map(({ before, model, after, end }) => ({
      boundary,
      parts: [...before, ...(model ? [model] : []), ...after],
      end,
    })),
)
