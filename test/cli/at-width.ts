/** Runs with a terminal of so many columns as stdout. */
export function atWidth<Result>(columns: number, run: () => Result): Result {
  const { isTTY, columns: before } = process.stdout
  Object.assign(process.stdout, { isTTY: true, columns })
  try {
    return run()
  } finally {
    Object.assign(process.stdout, { isTTY, columns: before })
  }
}
