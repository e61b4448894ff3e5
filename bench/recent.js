// Measures what it costs to remember a request, and to list an account's remembered requests. `node bench/recent.js
// [requests]`, after a build.
import { RecentRequests } from '../dist/gateway/recent-requests.js'

const [count = 1_000_000] = process.argv.slice(2).map(Number)
const ROUNDS = 9

const idOf = index => `req_${String(index).padStart(26, '0')}`

/** Requests as in a log: separate objects, from 3,000 accounts in turns. */
const endOf = index => ({
  at: 1_795_255_200_000 + index,
  requestId: idOf(index),
  method: 'POST',
  path: '/v1/chat/completions',
  status: 200,
  ms: 105,
  account: `acct_${index % 3000}`,
  plan: 'pro',
  asked: 'svc-auto',
  model: 'svc-pro',
  rule: 'time-sensitive',
  pool: 'onprem-pro',
  inputTokens: 12,
  outputTokens: 50,
  cost: 127_200,
  estimated: false,
})

const medianOf = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
const recent = new RecentRequests(0)
const some = Array.from({ length: 10_000 }, (_, index) => endOf(index))
const rounds = Array.from({ length: ROUNDS }, () => {
  return (
    (timeOf(() => {
      for (let index = 0; index < count; index++) recent.add(some[index % some.length])
    }) /
      count) *
    1e6
  )
})
console.log(`remember one of 3,000     ${medianOf(rounds).toFixed(0)} ns`)
const few = new RecentRequests(0)
const steady = Array.from({ length: ROUNDS }, () => {
  return (
    (timeOf(() => {
      for (let index = 0; index < count; index++) few.add(some[index % 1000])
    }) /
      count) *
    1e6
  )
})
console.log(`and one of 1,000 accounts ${medianOf(steady).toFixed(0)} ns`)
const asked = Array.from({ length: ROUNDS }, () => {
  return timeOf(() => {
    for (let index = 0; index < 1000; index++) few.newestOf(`acct_${index}`)
  })
})
console.log(`newest 50 of an account   ${medianOf(asked).toFixed(0)} µs`)
console.log(`all 5,000                 ${timeOf(() => few.newest()).toFixed(1)} ms`)

/** CPU time in milliseconds, which other load on the machine does not change. */
function timeOf(run) {
  const begun = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}
