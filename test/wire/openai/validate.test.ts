import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { chatSchema } from '../../../src/wire/openai/chat.schema.ts'
import { validator } from '../../../src/wire/openai/validate.ts'

it('the schema of a chat is JSON Schema 2020-12', () => {
  const ajv = new Ajv2020({ logger: false })

  expect([ajv.validateSchema(chatSchema), ajv.errors]).toEqual([true, null])
})

it.each([
  ['a keyword that there is not', { type: 'object', propertes: {} }],
  ['a keyword with a value of the wrong type', { type: 'object', required: 'model' }],
  ['a type that there is not', { type: 'objekt' }],
])('a schema with %s is refused by its first body', (_what, schema) => {
  expect(() => validator(schema)({})).toThrow()
})
