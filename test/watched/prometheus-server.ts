import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, onTestFinished, vi } from 'vitest'
import { textOf } from '../deploy/files.ts'
import { HANGS_MS } from '../lanes/hangs.ts'
import { freePort } from '../support/free-port.ts'
import { ADMIN_TOKEN } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Whether Prometheus and its tool are on the PATH. */
const hasPrometheus: boolean = ['prometheus', 'promtool'].every(
  program => spawnSync(program, ['--version']).status === 0,
)

if (!hasPrometheus) console.warn('SKIPPED: tests that need Prometheus. Install it: apt-get install prometheus')

/** Tests that need Prometheus: skipped, and counted as such, where it is missing. */
export const itWatches: typeof it.skip = it.skipIf(!hasPrometheus)

/** Alerts fire within seconds, but wait for a machine that is busy. */
export const FIRES = { timeout: 3 * HANGS_MS, interval: 250 }

/** A real Prometheus with our rules, in which a minute is a second. */
export class PrometheusServer {
  readonly #url: string
  readonly #process: ChildProcess

  private constructor(url: string, process: ChildProcess) {
    this.#url = url
    this.#process = process
  }

  /** It scrapes the admin listeners of gateways. */
  static async start(admins: readonly string[]): Promise<PrometheusServer> {
    const folder = temporaryFolder('prometheus')
    const port = await freePort()
    const targets = admins.map(admin => new URL(admin).host)
    writeFileSync(join(folder, 'rules.yaml'), hastened(textOf('deploy/prometheus/rules.yaml')))
    writeFileSync(
      join(folder, 'prometheus.yaml'),
      JSON.stringify({
        global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '250ms' },
        rule_files: ['rules.yaml'],
        scrape_configs: [
          { job_name: 'svc-gateway', authorization: { credentials: ADMIN_TOKEN }, static_configs: [{ targets }] },
        ],
      }),
    )
    const flags = [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ]
    const child = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'inherit'] })
    const server = new PrometheusServer(`http://127.0.0.1:${port}`, child)
    onTestFinished(() => server.#stop())
    await vi.waitFor(async () => server.#get('/-/ready'), { timeout: HANGS_MS, interval: 100 })
    return server
  }

  /** The names of the alerts that fire now. */
  async firing(): Promise<ReadonlySet<string>> {
    const { data } = (await (await this.#get('/api/v1/alerts')).json()) as { data: { alerts: readonly Alert[] } }
    return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
  }

  /** Resolves once each of these has fired: some are over soon. */
  async fires(...names: readonly string[]): Promise<void> {
    const fired = new Set<string>()
    await vi.waitFor(async () => {
      for (const name of await this.firing()) fired.add(name)
      const silent = names.filter(name => !fired.has(name))
      if (silent.length > 0) throw new Error(`silent: ${silent.join(', ')}; fired: ${[...fired].join(', ')}`)
    }, FIRES)
  }

  /** Resolves once the sum of a metric is above this. */
  async scrapes(metric: string, above: number): Promise<void> {
    await vi.waitFor(async () => {
      const { data } = (await (await this.#get(`/api/v1/query?query=sum(${metric})`)).json()) as Sum
      const value = Number(data.result[0]?.value[1] ?? Number.NaN)
      if (!(value >= above)) throw new Error(`${metric}: ${value}`)
    }, FIRES)
  }

  async #get(path: string): Promise<Response> {
    const response = await fetch(this.#url + path)
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response
  }

  async #stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
  }
}

interface Alert {
  readonly state: string
  readonly labels: { readonly alertname: string }
}

interface Sum {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] }
}

/** With every minute a second, every hour a minute and every day 24 minutes. Names of recorded series stay. */
function hastened(rules: string): string {
  const [faster, slower] = [{ m: 's', h: 'm' }, { d: 24 }]
  return rules
    .replaceAll(/(\[|offset )(\d+)d\b/g, (_, before: string, days: string) => `${before}${Number(days) * slower.d}h`)
    .replaceAll(
      /(\[|offset |for: )(\d+)([mh])\b/g,
      (_, before: string, n: string, unit: 'm' | 'h') => `${before}${n}${faster[unit]}`,
    )
}
