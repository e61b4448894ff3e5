/** Runs something that ends by itself, or by Ctrl-C and SIGTERM: being stopped is no failure. */
export async function untilStopped(run: (stop: AbortController) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  let stopped = false
  const end = () => {
    stopped = true
    stop.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  try {
    await run(stop)
  } catch (error) {
    if (!stopped) throw error
  } finally {
    stop.abort()
    for (const signal of signals) process.off(signal, end)
  }
}
