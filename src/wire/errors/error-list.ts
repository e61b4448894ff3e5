import { type ErrorRow, errorCodes, rateTypes } from './codes.ts'

/** GET /docs/errors.json: each code and each type of a 429, in the order of the page. */
export const errorList = (): object => ({
  object: 'list',
  data: Object.entries<ErrorRow>(errorCodes).map(([code, row]) => {
    const { status, meaning, retry, todo } = row
    return { code, status, meaning, retry, todo }
  }),
  types: rateTypes,
})
