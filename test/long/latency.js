import { parentPort, workerData } from 'node:worker_threads'

/** Lists models again and again, in a thread of its own: what keeps the test's thread busy is no latency of the gateway. */
const { url, key } = workerData
const times = []
let isOver = false
parentPort.once('message', () => {
  isOver = true
})
while (!isOver) {
  const from = performance.now()
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).catch(
    () => undefined,
  )
  await response?.text()
  if (response?.ok) times.push(performance.now() - from)
  await new Promise(resolve => setTimeout(resolve, 100))
}
parentPort.postMessage(times)
