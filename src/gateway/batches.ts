/** Items in lists of at most `size`, in their order; none of them is empty. */
export async function* batchesOf<T>(
  items: AsyncIterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void, undefined> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
