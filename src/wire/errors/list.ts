import { type ErrorRow, errorCodes, rateTypes } from './codes.ts'

/** The answer of GET /docs/errors.json. Backticks in its texts mark code. */
export interface ErrorList {
  readonly object: 'list'
  readonly data: readonly ErrorDoc[]
  readonly types: typeof rateTypes
}

export type ErrorDoc = Pick<ErrorRow, 'status' | 'meaning' | 'retry' | 'todo'> & { readonly code: string }

/** GET /docs/errors.json: each code and each type of a 429, in the order of the page. */
export const errorList = (): ErrorList => ({
  object: 'list',
  data: Object.entries<ErrorRow>(errorCodes).map(([code, row]) => {
    const { status, meaning, retry, todo } = row
    return { code, status, meaning, retry, todo }
  }),
  types: rateTypes,
})
