// A gateway of several processes, as `svcctl serve` would start it.
const [, , built, file, workers] = process.argv
const { load } = await import(`${built}/config/load.js`)
const { startMain } = await import(`${built}/server/workers/main-process.js`)
const { world } = await import(`${built}/server/world.js`)
const { examineApart } = await import(`${built}/server/examiner/examiner.js`)
const { processMetrics } = await import(`${built}/adapters/metrics/metrics.js`)

const result = load(file, process.env, process.cwd())
if (!result.ok) throw new Error(JSON.stringify(result.problems))
const gateway = await startMain(result.loaded, world, {
  workers: Number(workers),
  adminToken: 'test-admin-token',
  log: () => {},
  alarm: (message, details) => console.error(message, JSON.stringify(details)),
  examine: examineApart(file),
  main: file,
  processMetrics: processMetrics(),
  lost: () => process.exit(5),
})
process.on('SIGTERM', async () => process.exit((await gateway.drain()) ? 0 : 5))
console.log(JSON.stringify({ listen: gateway.listen.port, admin: gateway.admin.port }))
