// The page of endpoints: each operation of openapi.yaml with its parameters, the fields of its body, and its answers.
import { parse } from 'yaml'

/** The page's text from the text of openapi.yaml. */
export function endpointsText(source) {
  const api = parse(source)
  const found = ({ $ref, ...own }) => {
    if (!$ref) return own
    const [, , section, name] = $ref.split('/')
    // What stands beside a reference says more of this place.
    return { ...found(api.components[section][name]), ...own }
  }
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.responses ? [{ title: `${method.toUpperCase()} ${path}`, ...operation }] : [],
    ),
  )
  return operations.map(operation => operationText(operation, found)).join('\n\n')
}

function operationText({ title, summary, description, parameters = [], requestBody, responses }, found) {
  const sent = parameters.map(found).map(({ name, in: place, required, schema, description: meaning }) => {
    return { name, type: `${place}, ${typeOf(schema, found)}`, required, meaning }
  })
  const body = Object.values(requestBody?.content ?? {}).map(({ schema }) => found(schema))
  const fields = body.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, schema]) => {
      return {
        name,
        type: typeOf(schema, found),
        required: required.includes(name),
        meaning: found(schema).description,
      }
    }),
  )
  const answers = Object.entries(responses).map(
    ([status, answer]) => `| ${status} | ${cell(found(answer).description)} |`,
  )
  return [
    `## \`${title}\``,
    [summary, description].filter(Boolean).map(oneLine).join(' '),
    ...tableOf('parameter', sent),
    ...tableOf('field of the body', fields),
    ['| status | answer |', '|---|---|', ...answers].join('\n'),
  ].join('\n\n')
}

const tableOf = (kind, rows) =>
  rows.length === 0
    ? []
    : [
        [
          `| ${kind} | type | meaning |`,
          '|---|---|---|',
          ...rows.map(({ name, type, required, meaning }) => {
            return `| \`${name}\`${required ? ' (required)' : ''} | ${cell(type)} | ${cell(meaning)} |`
          }),
        ].join('\n'),
      ]

/** `integer, 1 to 4`, `texts, at most 64`, `one of a, b`. */
function typeOf(reference, found) {
  const schema = found(reference)
  const { const: fixed, enum: values, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema
  if (fixed !== undefined) return `\`${fixed}\``
  if (values) return `one of ${values.map(value => `\`${value}\``).join(', ')}`
  const types = [schema.type ?? []].flat().filter(type => type !== 'null')
  const bounds = [
    minimum !== undefined && maximum !== undefined && Math.abs(minimum) < 1e15 ? `${minimum} to ${maximum}` : undefined,
    maxLength === undefined ? undefined : `${minLength ? `${minLength} to` : 'at most'} ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems}`,
    pattern === undefined ? undefined : `\`${pattern}\``,
  ]
  return [types.join(' or ') || 'any', ...bounds.filter(Boolean)].join(', ')
}

const oneLine = text => text.trim().replace(/\s+/g, ' ')
const cell = (text = '') => oneLine(String(text)).replaceAll('|', '\\|')
