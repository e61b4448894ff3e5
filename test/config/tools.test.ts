// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { readFileSync, writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorsInSchema } from '../../src/config/check/parameters.ts'
import { isSimple } from '../../src/config/check/simple-schema.ts'
import { renderText } from '../../src/config/format/problem-text.ts'
import { load } from '../../src/config/load.ts'
import { configSchema } from '../../src/config/model/schema.ts'
import { directoryOf, found, loadFiles, loadGood, problemsOf, small } from './files.ts'

const tools = `hosted_tools:
  search: { mcp: "https://tools.example.com/mcp/", key: "\${KEY}" }
  units:
    http: http://127.0.0.1:9011/convert
    description: Converts.
    parameters: { type: object, properties: { amount: { type: number, maximum: 4e3 }, to: { const: 40k } } }
  clock: { builtin: current_time }
`
const withTools = (plan: string) => small.replace('models: all', `models: all, tools: ${plan}`) + tools
const all = withTools('all')
const env = { KEY: 'sk-live-4242' }

test('a tool of each kind has what was written of it, and defaults for the rest', () => {
  const { settings } = loadGood(all, env)

  const bounds = { timeout: 10_000, maxResultBytes: 16_000 }
  expect(Object.fromEntries(settings.tools)).toEqual({
    search: {
      kind: 'mcp',
      url: 'https://tools.example.com/mcp/',
      transport: 'streamable_http',
      tool: 'search',
      key: expect.anything(),
      ...bounds,
    },
    units: {
      kind: 'http',
      url: 'http://127.0.0.1:9011/convert',
      description: 'Converts.',
      parameters: { type: 'object', properties: { amount: { type: 'number', maximum: 4000 }, to: { const: '40k' } } },
      ...bounds,
    },
    clock: { kind: 'builtin', builtin: 'current_time', ...bounds },
  })
  expect(settings.limits).toMatchObject({ toolRounds: 8, toolTime: 120_000 })
})

test('written settings of a tool override the defaults', () => {
  const own = 'tool: web, transport: sse, description: Searches., timeout: 1.5s, max_result: 1MB, mcp:'
  const policy = 'max_calls: 100, usd_per_call: 0.005, mcp:'
  const limits = 'limits: { tool_rounds: 32, tool_time: 1m }\n'
  const { settings, config } = loadGood(limits + all.replace('mcp:', own).replace('mcp:', policy), env)

  expect(settings.tools.get('search')).toMatchObject({
    tool: 'web',
    transport: 'sse',
    description: 'Searches.',
    timeout: 1500,
    maxResultBytes: 1_000_000,
  })
  expect(config.tools.get('search')).toMatchObject({ maxCalls: 100, price: 5_000_000 })
  expect(settings.limits).toMatchObject({ toolRounds: 32, toolTime: 60_000 })
})

test('every default of a tool in the schema is the one that holds', () => {
  const { $defs } = configSchema
  const common = ['timeout: 10s', 'max_calls: 3', 'max_result: 16KB', 'usd_per_call: 0']
  const names = {
    timeout: 'tool_timeout',
    max_calls: 'max_calls',
    max_result: 'max_result',
    usd_per_call: 'usd_per_call',
  }
  const spelt = Object.entries(names).map(([field, name]) => `${field}: ${$defs[name].default}`)
  const transport = `transport: ${$defs.mcp_tool.properties.transport.default}`
  const [silent, written] = [all, all.replace('mcp:', `${[...spelt, transport].join(', ')}, mcp:`)].map(config =>
    loadGood(config, env),
  )

  expect(spelt).toEqual(common)
  expect(written?.settings.tools).toEqual(silent?.settings.tools)
  for (const field of ['maxCalls', 'price'] as const)
    expect(written?.config.tools.get('search')?.[field]).toBe(silent?.config.tools.get('search')?.[field])
})

test('the policy knows of a tool its price, its calls and its place, and not how it is run', () => {
  const { at, fields, ...tool } = loadGood(all, env).config.tools.get('search') ?? {}

  expect(tool).toEqual({ name: 'search', maxCalls: 3, price: 0 })
  expect(at).toEqual({ file: 'config.yaml', line: 10, column: 3 })
  expect(fields).toMatchObject({ mcp: { line: 10, column: 13 } })
})

test('a plan includes the tools that it names, or all, or none', () => {
  const toolsOf = (config: string) => [...(loadGood(config, env).config.plans.get('free')?.tools ?? [])]
  const at = (column: number) => ({ file: 'config.yaml', line: 3, column })

  expect(toolsOf(all)).toEqual(['search', 'units', 'clock'].map(name => [name, { by: 'all', at: at(31) }]))
  expect(toolsOf(withTools('[clock, search]'))).toEqual([
    ['clock', { by: 'clock', at: at(32) }],
    ['search', { by: 'search', at: at(39) }],
  ])
  expect(toolsOf(small + tools)).toEqual([])
})

test('tools may stand in included files, and the same name in two of them names both places', () => {
  const result = loadFiles(
    { 'config.yaml': `include: [parts/*.yaml]\n${small}`, 'parts/a.yaml': tools, 'parts/b.yaml': tools },
    env,
  )

  expect(
    problemsOf(result).map(({ file, line, column, message, hint }) => [`${file}:${line}:${column}`, message, hint]),
  ).toEqual([
    ['parts/b.yaml:2:3', 'tool `search` is declared twice', 'the other is at parts/a.yaml:2:3'],
    ['parts/b.yaml:3:3', 'tool `units` is declared twice', 'the other is at parts/a.yaml:3:3'],
    ['parts/b.yaml:7:3', 'tool `clock` is declared twice', 'the other is at parts/a.yaml:7:3'],
  ])
})

test('while the tools are in doubt, none that a plan names is called unknown', () => {
  const plan = small.replace('models: all', 'models: all, tools: [clock]')

  expect(found(loadFiles({ 'config.yaml': plan }))).toEqual(['config.yaml:3:32 unknown-tool'])
  for (const section of ['hosted_tool: { clock: { builtin: calculator } }', 'hosted_tools: 1'])
    expect(found(loadFiles({ 'config.yaml': `${section}\n${plan}` }))).toHaveLength(1)
})

test('a mistake in one tool hides neither those of others nor what plans name', () => {
  const broken = all
    .replace('builtin: current_time', 'builtin: clock')
    .replace('type: number', 'type: float')
    .replace('mcp:', 'timeout: 0s, mcp:')

  expect(found(loadFiles({ 'config.yaml': broken.replace('tools: all', 'tools: [clok]') }, env))).toEqual([
    'config.yaml:3:32 unknown-tool',
    'config.yaml:10:22 out-of-range',
    'config.yaml:14:63 bad-value',
    'config.yaml:15:21 bad-value',
  ])
})

test('a plan that serves past its month can pay for any tool, and one with a cap up to it', () => {
  const dear = (plan: string) =>
    found(
      loadFiles(
        { 'config.yaml': all.replace('models: all', `${plan}models: all`).replace('mcp:', 'usd_per_call: 1, mcp:') },
        env,
      ),
    )

  expect(dear('')).toEqual(['config.yaml:3:68 tool-too-dear'])
  expect(dear('overage: true, ')).toEqual([])
  expect(dear('overage: { cap_usd: 2 }, ')).toEqual([])
  expect(dear('overage: { cap_usd: 1.99 }, ')).toHaveLength(1)
})

test('the key of a tool shows itself only when asked', () => {
  const { settings } = loadGood(all, env)
  const tool = settings.tools.get('search')

  expect(tool?.kind === 'mcp' && tool.key?.reveal()).toBe('sk-live-4242')
  expect(inspect(settings, { depth: 9 }) + JSON.stringify([...settings.tools])).not.toContain('4242')
})

test('no problem shows the key of a tool, in the file or out of it', () => {
  for (const literal of ['sk-4242', '"${KEY:-sk-4242}"']) {
    const result = loadFiles({ 'config.yaml': all.replace('"${KEY}"', literal) }, { KEY: 'sk-4242' })

    expect(problemsOf(result).map(({ rule }) => rule)).toEqual(['plain-secret'])
    expect(renderText(problemsOf(result), result.sources)).not.toContain('4242')
  }
  const result = loadFiles({ 'config.yaml': all }, { KEY: 'sk 4242' })
  expect(problemsOf(result).map(({ rule }) => rule)).toEqual(['bad-secret'])
  expect(renderText(problemsOf(result), result.sources)).not.toContain('4242')
})

test('no problem of parameters shows what a variable holds', () => {
  for (const place of ['type: number', 'maximum: 4e3']) {
    const written = `${place.split(':')[0]}: "\${V}"`
    const result = loadFiles({ 'config.yaml': all.replace(place, written) }, { ...env, V: 'word-4242' })

    expect(found(result)).toHaveLength(1)
    expect(renderText(problemsOf(result), result.sources)).not.toContain('4242')
  }
})

test('the fingerprint changes with the key of a tool, which is read from its file at each load', () => {
  const directory = directoryOf({ 'config.yaml': all.replace('"${KEY}"', 'file:key'), key: 'k1' })
  const fingerprint = () => {
    const result = load('config.yaml', {}, directory)
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    expect(result.paths).toContain(`${directory}/key`)
    return result.loaded.fingerprint
  }
  const before = fingerprint()

  expect(fingerprint()).toBe(before)
  writeFileSync(`${directory}/key`, 'k2')
  expect(fingerprint()).not.toBe(before)
})

const parameters = (written: string) =>
  found(loadFiles({ 'config.yaml': all.replace(/parameters: .*/, `parameters: ${written}`) }, env))

test.each([
  '{ type: object }',
  '{ type: object, properties: { "$ref": { type: string }, type: {}, required: true } }',
  '{ type: object, properties: { a: { $ref: "#/$defs/a~1b%20c" } }, $defs: { "a/b c": { type: [string, "null"] } } }',
  '{ type: object, properties: { next: { $ref: "#" } }, x-order: [next] }',
  '{ type: object, $defs: { tree: { items: { $ref: "#/$defs/tree" } } }, allOf: [{ $ref: "#/$defs/tree" }] }',
  '{ type: object, additionalProperties: { enum: [null, 1, a, [x]], default: null } }',
  '{ type: object, properties: { a: &a { pattern: "^[a-z]+$" }, b: *a } }',
])('parameters may be %s', written => {
  expect(parameters(written)).toEqual([])
})

test.each([
  ['{ type: [object] }', 'not-an-object'],
  ['{ type: object, properties: { a: { $ref: "#/required" } }, required: [a] }', 'unknown-place'],
  ['{ type: object, properties: { a: { $ref: "#/%E0%A4%A" } } }', 'unknown-place'],
  ['{ type: object, $ref: "#" }', 'endless-reference'],
  [
    '{ type: object, properties: { a: { allOf: [{ $ref: "#/$defs/b" }] } }, $defs: { b: { not: { $ref: "#/properties/a" } } } }',
    'endless-reference',
  ],
  ['{ type: object, minProperties: -1 }', 'bad-value'],
  ['{ type: object, required: [a, a] }', 'duplicate-entry'],
  ['{ type: object, anyOf: [] }', 'empty-list'],
  [`${'{ type: object, not: '.repeat(39)}{}${' }'.repeat(39)}`, 'too-deep'],
])('parameters may not be %s', (written, rule) => {
  expect(parameters(written).map(each => each.split(' ')[1])).toEqual([rule])
})

test('types that are maps are refused one by one', () => {
  const rules = parameters('{ type: object, items: { type: [{}, {}] } }').map(each => each.split(' ')[1])

  expect(rules).toEqual(['wrong-type', 'wrong-type'])
})

test('no parameters make load throw', () => {
  const words = [
    'type',
    'properties',
    'items',
    '$ref',
    'enum',
    'required',
    'pattern',
    'if',
    '$defs',
    '__proto__',
    'key',
  ]
  const value = fc.letrec(tie => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 1, -0.5, 'object', 'string', '#', '#/$defs/type', '(', ''),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.array(fc.tuple(fc.constantFrom(...words), tie('any')), { maxLength: 4 }).map(Object.fromEntries),
    ),
  })).any
  fc.assert(
    fc.property(value, schema => {
      const rest = JSON.stringify(schema)
        .replace(/^\{(?=.)/, '{"type":"object",')
        .replace(',}', '}')
      expect(() => parameters(rest)).not.toThrow()
    }),
    { numRuns: 100 },
  )
})

test('the schema of parameters refuses what JSON Schema refuses', () => {
  const official = new Ajv2020({ strict: false, validateFormats: false })
  const path = new URL('../../schema/parameters.schema.json', import.meta.url)
  const keywords = Object.keys(JSON.parse(readFileSync(path, 'utf8')).properties)
  const values = [
    null,
    true,
    0,
    -1,
    1.5,
    '',
    'string',
    '#',
    [],
    ['a'],
    ['a', 'a'],
    [1],
    [{}],
    {},
    { a: {} },
    { a: 1 },
    { a: ['b'] },
  ]
  for (const keyword of keywords) {
    for (const value of values) {
      const schema = { [keyword]: value }
      if (errorsInSchema(schema).length === 0) expect([schema, official.validateSchema(schema)]).toEqual([schema, true])
    }
  }
})

/** ajv as the gateway checks arguments with it. */
const compiled = (schema: object) =>
  new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false }).compile(schema)
const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) })
const many = (count: number) => Array.from({ length: count }, (_, index) => `name_${index}`)

test.each([
  ['items within items', nested(99)],
  ['properties', { properties: Object.fromEntries(many(99).map(name => [name, { type: 'string', minLength: 1 }])) }],
  ['names that are required', { required: many(5000) }],
  ['values of an enum', { enum: many(5000) }],
  ['objects of an enum', { enum: many(1000).map(name => ({ [name]: [{ a: 1 }] })) }],
  [
    'properties with names of Object',
    { properties: { constructor: {}, toString: {}, ['__proto__']: {}, '': {}, "a'b\n": {} } },
  ],
])('simple parameters with as many %s as are accepted compile', (_, schema) => {
  expect(errorsInSchema(schema)).toEqual([])
  expect(isSimple(schema)).toBe(true)
  expect(() => compiled(schema)).not.toThrow()
})

/** Schemas of simple keywords, with schemas within them to a depth. */
const simpleSchema = (depth: number): fc.Arbitrary<object> => {
  const value = fc.jsonValue({ maxDepth: 1 })
  const within = depth === 0 ? fc.constant({}) : simpleSchema(depth - 1)
  return fc.record(
    {
      type: fc.oneof(fc.constantFrom('object', 'string', 'integer', 'null'), fc.constant(['array', 'number'])),
      ...{ description: fc.string(), default: value, const: value, format: fc.string() },
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      properties: fc.dictionary(fc.string(), within, { maxKeys: 2 }),
      required: fc.uniqueArray(fc.string(), { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), within),
      items: fc.oneof(fc.boolean(), within),
      ...{ minimum: fc.double({ noNaN: true }), maximum: fc.integer(), minLength: fc.nat(), maxItems: fc.nat() },
    },
    { requiredKeys: [] },
  )
}

test('every simple schema that the meta-schema accepts compiles', () => {
  let simple = 0
  fc.assert(
    fc.property(simpleSchema(2), made => {
      if (errorsInSchema(made).length > 0 || !isSimple(made)) return
      simple++
      expect(() => compiled(made)).not.toThrow()
    }),
    { numRuns: 50 },
  )
  expect(simple).toBeGreaterThan(10)
})

test.each([
  ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
  ['a pattern', { pattern: '^a' }],
  ['a branch', { anyOf: [{}] }],
  ['items a hundred deep', nested(100)],
  ['a branch within a property', { properties: { a: { items: { not: {} } } } }],
])('parameters with %s are compiled before they are accepted', (_, schema) => {
  expect(isSimple(schema)).toBe(false)
})
