// Archives what is in a Redis, without end, until it is killed.
const [, , built, url, port, holder] = process.argv
const { openRedisStore } = await import(`${built}/adapters/redis/store.js`)
const { PostgresArchive } = await import(`${built}/adapters/archives/postgres/archive.js`)
const { Archiver } = await import(`${built}/gateway/archive/archiver.js`)

const store = await openRedisStore({ url, prefix: 'svc', alarm: () => {}, answerMs: 15_000 })
const place = { host: '127.0.0.1', port: Number(port), user: 'owner', database: 'postgres', shown: 'archive' }
const archive = new PostgresArchive({ ...place, isTls: false, secrets: () => ({ password: 'secret' }) }, 'svc')
// A hundred times as fast, so that turns, leases and retries fit between two kills; a batch is small for the same reason.
const clock = {
  now: Date.now,
  elapsed: () => performance.now() * 100,
  after: (time, run) => {
    const timer = setTimeout(run, time / 100)
    return () => clearTimeout(timer)
  },
}
const rows = {
  lease: () => store.archive.lease(holder, 100),
  release: () => store.archive.release(holder),
  readLeaving: age => store.archive.readLeaving(age, 50),
  readWaiting: age => store.archive.readWaiting(age),
  remove: leaving => store.archive.remove(leaving),
}
new Archiver({ store: rows, archive, keep: () => 86_400_000, holder, clock, alarm: () => {} })
