// Loaded into the gateway before its own modules: SIGUSR2 starts a CPU profile, the next one writes it to BENCH_PROFILE.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const SAMPLE_MICROS = 200
const session = new Session()
session.connect()
let isOn = false

process.on('SIGUSR2', async () => {
  isOn = !isOn
  if (isOn) {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROS })
    await session.post('Profiler.start')
  } else {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(process.env.BENCH_PROFILE, JSON.stringify(profile))
  }
})
