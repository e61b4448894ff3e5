/** Additions of one test to the YAML. */
interface More {
  /** Members of `server` in place of `listen`, and others. */
  readonly listen?: string
  readonly server?: string
  readonly limits?: string
  /** Plans beside `pro`, a line each. */
  readonly plans?: string
  /** Members of the pool. */
  readonly pool?: string
}

/** A gateway with a plan `pro` and one backend, on a store: by default an embedded one in its directory. */
export const yamlOf =
  (
    backend: string,
    store: (directory: string) => string = directory => `embedded:${directory}/store`,
    { listen = '127.0.0.1:0', server, limits, plans, pool }: More = {},
  ) =>
  (directory: string): string =>
    `
version: 1
server: { listen: "${listen}", admin: 127.0.0.1:0, state_dir: ${directory}${after(server)} }
store: ${store(directory)}
limits: { shed_load: false${after(limits)} }
plans:
  pro: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 500 }
${plans === undefined ? '' : `  ${plans}\n`}models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
aliases: { auto: svc-core }
default_model: auto
pools:
  onprem: { site: on-premises, model: test-model, replicas: ["${backend}"]${after(pool)} }
`

const after = (members: string | undefined): string => (members === undefined ? '' : `, ${members}`)
