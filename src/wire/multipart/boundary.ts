import { type Denied, invalid } from '../../policy/denial.ts'

/** One parameter and no more: of two, or of one within another's quotes, readers choose differently. */
const FORM =
  /^multipart\/form-data[ \t]*;[ \t]*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'()+,./:=?-]{1,70}))[ \t]*$/i

/** The boundary of a form, found in its content type by the rules of RFC 2046 5.1.1. */
export function boundaryOf(contentType: string): string | Denied {
  const [, quoted, bare] = FORM.exec(contentType) ?? []
  const problem = 'must be `multipart/form-data` with one `boundary` of 1 to 70 characters, and nothing after it'
  return quoted ?? bare ?? invalid('content-type', problem)
}

/** The content type of a form with this boundary: the same for every reader, however its sender wrote it. */
export const formType = (boundary: string): string =>
  `multipart/form-data; boundary=${/^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`}`
