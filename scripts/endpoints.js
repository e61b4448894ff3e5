// The endpoint pages: each operation of an OpenAPI document with its parameters, body fields and answers.

/** The page's text from a document. */
export const endpointsText = api => operationsText(api)

/** The page with the fields of each answer and schema, but without answers that every operation may have. */
export const endpointsAndSchemasText = (api, common) =>
  [operationsText(api, common), '## Schemas', ...Object.entries(api.components.schemas).map(schemaText(api))].join(
    '\n\n',
  )

function operationsText(api, common) {
  const found = finderIn(api)
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      operation.responses ? [{ title: `${method.toUpperCase()} ${path}`, ...operation }] : [],
    ),
  )
  return operations.map(operation => operationText(operation, found, common)).join('\n\n')
}

/** Resolves references within a document. */
function finderIn(api) {
  const found = ({ $ref, ...own }) => {
    if (!$ref) return own
    const [, , section, name] = $ref.split('/')
    // Members next to a reference describe this place more closely.
    return { ...found(api.components[section][name]), ...own }
  }
  return found
}

const schemaText =
  api =>
  ([name, schema]) =>
    [`### \`${name}\``, schema.description, ...tableOf('field', fieldsOf({ only: { schema } }, finderIn(api)))]
      .filter(Boolean)
      .join('\n\n')

function operationText({ title, summary, description, parameters = [], requestBody, responses }, found, common) {
  const sent = parameters.map(found).map(({ name, in: place, required, schema, description: meaning }) => {
    return { name, type: `${place}, ${typeOf(schema, found)}`, required, meaning }
  })
  const fields = fieldsOf(requestBody?.content, found)
  const answered = common ? fieldsOf(responses[200]?.content, found) : []
  const own = Object.entries(responses).filter(([status]) => !common?.includes(status))
  const answers = own.map(([status, answer]) => `| ${status} | ${cell(found(answer).description)} |`)
  return [
    `## \`${title}\``,
    [summary, description].filter(Boolean).map(oneLine).join(' '),
    ...tableOf('parameter', sent),
    ...tableOf('field of the body', fields),
    ...tableOf('field of the answer', answered),
    ...(answers.length > 0 ? [['| status | answer |', '|---|---|', ...answers].join('\n')] : []),
  ].join('\n\n')
}

/** The fields of a body in each of its forms; for a stream of records, those of the first. */
function fieldsOf(content, found) {
  return Object.values(content ?? {}).flatMap(({ schema = {} }) => {
    const whole = found(schema)
    const [form = whole] = (whole.oneOf ?? whole.anyOf ?? []).map(found)
    const { properties = {}, required = [] } = form
    return Object.entries(properties).map(([name, property]) => ({
      name,
      type: typeOf(property, found),
      required: required.includes(name),
      meaning: found(property).description,
    }))
  })
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
  if (schema.anyOf)
    return schema.anyOf
      .filter(({ type }) => type !== 'null')
      .map(each => typeOf(each, found))
      .join(' or ')
  const { const: fixed, enum: values, minimum, maximum, minLength, maxLength, maxItems, pattern } = schema
  if (fixed !== undefined) return `\`${fixed}\``
  if (values) return `one of ${values.map(value => `\`${value}\``).join(', ')}`
  if (schema.items)
    return [`array of ${nameOf(schema.items, found)}`, maxItems && `at most ${maxItems}`].filter(Boolean).join(', ')
  const types = [schema.type ?? []].flat().filter(type => type !== 'null')
  const bounds = [
    minimum !== undefined && maximum !== undefined && Math.abs(minimum) < 1e15 ? `${minimum} to ${maximum}` : undefined,
    maxLength === undefined ? undefined : `${minLength ? `${minLength} to` : 'at most'} ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems}`,
    pattern === undefined ? undefined : `\`${pattern}\``,
  ]
  return [types.join(' or ') || 'any', ...bounds.filter(Boolean)].join(', ')
}

/** The name of the referenced schema, or the type. */
const nameOf = (reference, found) =>
  reference.$ref ? `\`${reference.$ref.split('/').at(-1)}\`` : typeOf(reference, found)

const oneLine = text => text.trim().replace(/\s+/g, ' ')
const cell = (text = '') => oneLine(String(text)).replaceAll('|', '\\|')
