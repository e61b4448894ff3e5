/** The source cannot be imported as a whole. The message is for the operator. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused'
}
