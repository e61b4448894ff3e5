// Writes the reference pages of docs/: YAML fields from the schema, commands of svcctl from commander, endpoints from
// openapi.yaml and the declared calls of the admin API, and error codes from their table, which also generates the error
// schemas of openapi.yaml.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { endpointsAndSchemasText, endpointsText } from './endpoints.js'
import { incidentsText } from './incidents.js'
import { providersText } from './providers.js'

const root = new URL('..', import.meta.url)

/** The generated part of each page, and of openapi.yaml. */
export async function referencePages() {
  // The pages come from compiled sources, so compile the current ones first.
  execFileSync(process.execPath, [fileURLToPath(new URL('scripts/build.js', root)), '--where-stale'])
  const { docsOf } = await import(new URL('dist/config/docs/doc.js', root))
  const { svcctl } = await import(new URL('dist/cli/program.js', root))
  const { errorCodes, rateTypes } = await import(new URL('dist/wire/errors/codes.js', root))
  const profiles = await import(new URL('dist/policy/providers/profiles.js', root))
  const { adminDocument } = await import(new URL('dist/wire/admin-api/document.js', root))
  const { INCIDENT_KINDS } = await import(new URL('dist/gateway/incident-kinds.js', root))
  const { writtenName } = await import(new URL('dist/policy/providers/profile.js', root))
  return {
    pages: {
      'docs/api/errors.md': errorsText(errorCodes, rateTypes),
      'docs/configuration.md': configurationText(docsOf),
      'docs/admin-endpoints.md': endpointsAndSchemasText(
        adminDocument({ version: '', brand: 'svc' }),
        // The head of the page explains these.
        ['200', '400', '401', '403', '413', '415', '429', '500', '503'],
      ),
      'docs/endpoints.md': endpointsText(parse(readFileSync(new URL('openapi.yaml', root), 'utf8'))),
      'docs/incidents.md': incidentsText(INCIDENT_KINDS),
      'docs/providers.md': providersText(profiles, { writtenName }),
      'docs/svcctl.md': svcctlText(await svcctl()),
    },
    errorSchemas: errorSchemasText(errorCodes),
  }
}

/** Codes whose bodies have extra fields: their schemas are written by hand. */
const SHAPED = new Set(['rate_limit_exceeded', 'quota_exceeded', 'UPSTREAMS_EXHAUSTED'])

/** The codes that clients meet, a schema for the body of each, and the codes that come with 503. */
function errorSchemasText(errorCodes) {
  // A code that occurs only within streams comes with 200: its event has a schema of its own.
  const codes = Object.entries(errorCodes).filter(([, { isForOperators, status }]) => !isForOperators && status >= 400)
  const flat = codes.filter(([code]) => !SHAPED.has(code))
  const ref = name => `{ $ref: "#/components/schemas/${name}" }`
  return [
    '    ErrorCode:',
    '      enum:',
    ...codes.map(([code]) => `        - ${code}`),
    ...flat.flatMap(([code]) => [
      `    ${code}:`,
      '      $ref: "#/components/schemas/FlatError"',
      `      properties: { code: { const: ${code} } }`,
    ]),
    '    Unavailable:',
    '      oneOf:',
    ...codes.filter(([, { status }]) => status === 503).map(([code]) => `        - ${ref(code)}`),
    `        - ${ref('UPSTREAMS_EXHAUSTED_object')}`,
  ].join('\n')
}

/** One section per section of the file, with a table of its fields, followed by the sections within it. */
function configurationText(docsOf) {
  const [top] = docsOf('')
  const index = top.fields.map(({ name, description }) => `| [\`${name}\`](#${name}) | ${escaped(description)} |`)
  const sections = top.fields.map(({ name }) => sectionText(docsOf, name, '##'))
  return [['| field | meaning |', '|---|---|', ...index].join('\n'), ...sections].join('\n\n')
}

function sectionText(docsOf, path, marks) {
  const docs = docsOf(path)
  return docs.map(doc => fieldText(docsOf, doc, path, marks, docs.length > 1)).join('\n\n')
}

function fieldText(docsOf, doc, path, marks, byKind) {
  const kinds = doc.kinds.length > 0 ? ` (${doc.kinds.join(', ')})` : ''
  const inner = doc.fields.flatMap(({ name }) => {
    const below = `${path}.${name}`
    const found = docsOf(below)
    const isSection = Array.isArray(found) && found.some(({ fields }) => fields.length > 0)
    return isSection && !RECURSIVE.has(name) ? [sectionText(docsOf, below, '###')] : []
  })
  return [
    `${marks} ${path}${byKind ? kinds : ''}`,
    escaped(doc.description),
    facts(doc),
    ...(doc.fields.length > 0 ? [fieldTable(fieldsInFull(docsOf, doc, path))] : []),
    ...inner,
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Nested conditions have the same fields. */
const RECURSIVE = new Set(['any', 'not'])

/** A section's table has each field's whole description, not only its first sentence. */
const fieldsInFull = (docsOf, { fields }, path) =>
  fields.map(field => {
    const found = docsOf(`${path}.${field.name}`)
    if (!Array.isArray(found)) return field
    const descriptions = [...new Set(found.map(({ description }) => description))]
    const types = [...new Set(found.map(({ type, unit }) => [type, unit].filter(Boolean).join(', ')))]
    return { ...field, description: descriptions.join(' / '), type: types.join(' / ') }
  })

const facts = ({ type, unit, range, written, default: value, fields }) =>
  fields.length > 0
    ? ''
    : [
        ['type', type],
        ['unit', unit],
        ['range', range],
        ['write', written],
        ['default', value === null ? null : `\`${plainText(value)}\``],
      ]
        .filter(([, text]) => text !== null && text !== undefined)
        .map(([name, text]) => `- ${name}: ${text}`)
        .join('\n')

function fieldTable(fields) {
  const rows = fields.map(({ name, kinds, required, default: value, description, type }) => {
    const of = kinds.length > 0 ? ` (${kinds.join(', ')})` : ''
    const otherwise = required ? 'required' : value === null ? '' : `\`${plainText(value)}\``
    return `| \`${name}\`${of} | ${escaped(description)} | ${escaped(type ?? '')} | ${otherwise} |`
  })
  return ['| field | meaning | type | default |', '|---|---|---|---|', ...rows].join('\n')
}

const plainText = value => (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('|', '\\|')

/** A bar would end a table cell, and an angle bracket outside code would be taken for HTML. */
const escaped = text =>
  text
    .split(/(`[^`]*`)/)
    .map(part => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|')

/** The codes for clients, those for operators, and the types of a 429. */
function errorsText(errorCodes, rateTypes) {
  const rows = wanted =>
    Object.entries(errorCodes)
      .filter(([, { isForOperators = false }]) => isForOperators === wanted)
      .map(
        ([code, { status, meaning, retry }]) => `| \`${code}\` | ${status} | ${escaped(meaning)} | ${escaped(retry)} |`,
      )
  const table = wanted => ['| code | HTTP | meaning | retry |', '|---|---|---|---|', ...rows(wanted)].join('\n')
  const types = rateTypes.map(({ type, meaning }) => `| \`${type}\` | ${escaped(meaning)} |`)
  return [
    table(false),
    'The `type` of a 429:',
    ['| type | meaning |', '|---|---|', ...types].join('\n'),
    'For operators, on the admin listener alone:',
    table(true),
  ].join('\n\n')
}

/** Every command with its own help, as in a terminal of 100 columns. */
function svcctlText(program) {
  const commands = commandsBelow(program)
  const index = commands.map(
    ({ command, name }) =>
      `| [\`${name}\`](#${name.replaceAll(' ', '-')}) | ${escaped(command.summary() || command.description())} |`,
  )
  const texts = commands.map(({ command, name }) => `## ${name}\n\n\`\`\`\n${helpOf(command)}\n\`\`\``)
  return [['| command | what it does |', '|---|---|', ...index].join('\n'), ...texts].join('\n\n')
}

function commandsBelow(parent, names = []) {
  return parent.commands
    .filter(command => command.name() !== 'help')
    .flatMap(command => {
      const path = [...names, command.name()]
      return [{ command, name: path.join(' ') }, ...commandsBelow(command, path)]
    })
}

function helpOf(command) {
  command.configureHelp({ helpWidth: 100 })
  return command.helpInformation().trimEnd()
}
