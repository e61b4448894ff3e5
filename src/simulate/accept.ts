import type { ValidateFunction } from 'ajv/dist/2020.js'
import { type Accept, newAjv } from '../config/check/accept.ts'
import { fieldsIn, readSchema } from '../config/check/schema.ts'
import type { TestsFile } from './file.ts'

const schema = readSchema('tests.schema.json')
const validate: ValidateFunction<TestsFile> = newAjv({ allErrors: true, verbose: true }).compile(schema)

/** A file of tests. */
export const testsFile: Accept<TestsFile> = {
  accepts: data => validate(data),
  errorsIn: data => (validate(data) ? [] : (validate.errors ?? [])),
  fields: fieldsIn(schema),
}
