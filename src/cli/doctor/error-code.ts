/** The code that the system gave an error, such as `ECONNREFUSED`; of several attempts, that of the first. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
