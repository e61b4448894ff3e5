/** Runs with each text of an answer that ends by the mark, as it comes. */
export async function eachText({ body }: Response, mark: string | RegExp, run: (text: string) => void): Promise<void> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const texts = (rest + value).split(mark)
    rest = texts.pop() ?? ''
    for (const text of texts) if (text !== '') run(text)
  }
}
