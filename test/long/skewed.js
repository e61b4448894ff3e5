// `svcctl serve` with a clock that is wrong: node skewed.js DIST CONFIG MILLISECONDS-AHEAD
const [, , dist, file, ahead] = process.argv
const { load } = await import(`${dist}/config/load.js`)
const { startSingle } = await import(`${dist}/server/compose/single.js`)
const { world } = await import(`${dist}/server/world.js`)

const { loaded } = load(file, process.env, process.cwd())
const clock = { ...world.clock, now: () => Date.now() + Number(ahead) }
const hooks = {
  adminToken: process.env.SVCCTL_TOKEN,
  log: () => {},
  alarm: (message, details) => console.error(`▲ ${message} ${JSON.stringify(details)}`),
}
const { listen, admin } = await startSingle(loaded, { ...world, clock }, hooks)
// As the banner of `svcctl serve` says them, which is where the tests read them.
console.log(`  API  listens on http://${listen.host}:${listen.port}`)
console.log(`  Admin  http://${admin.host}:${admin.port}`)
console.log('  Policy')
