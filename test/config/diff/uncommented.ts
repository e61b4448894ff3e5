import { shipped } from './edited.ts'

const MAIN = 'config.example.yaml'

/** The example with what it shows of pass-through routes put in. */
export function uncommented(): Readonly<Record<string, string>> {
  const text = shipped[MAIN] ?? ''
  const at = text.indexOf('# passthrough:')
  const section = text
    .slice(at)
    .replace(/^# /gm, '')
    .replace('tier: standard,', 'tier: standard, usd_per_1m: { input: 1 },')
  const usage =
    '  - { path: /v1/rerank, methods: [GET, POST], model: svc-voice, meter: { usage: { max_input: 8k } } }\n'
  return { ...shipped, [MAIN]: text.slice(0, at) + section.replace('models:\n', `${usage}models:\n`) }
}
