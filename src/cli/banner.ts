import { counted } from '../config/frame.ts'
import type { Loaded, Settings } from '../config/settings.ts'
import type { Config, Kind } from '../policy/config.ts'
import { urlOf } from './control/open.ts'
import type { Demo } from './demo.ts'
import type { RunningGateway } from './gateway.ts'
import { sessionFile } from './session.ts'
import { storeText } from './store-failure.ts'
import { version } from './version.ts'

/** What `serve` prints once it serves: where, with which pools, and for a demo how to try it. */
export function banner({ config, settings, files }: Loaded, gateway: RunningGateway, trial?: Trial): string {
  const title = trial ? 'demo · real backends on loopback · the store is gone when you stop' : files[0]
  const pools = [...config.pools.values()].map(pool => `${pool.name} ×${pool.replicas.length}`).join('   ')
  return [
    `svcctl ${version} · ${title} · revision ${config.revision}`,
    '',
    `  API       ${settings.server.publicUrl}/v1        listens on ${urlOf(gateway.listen)}`,
    `  Admin     ${urlOf(gateway.admin)}           health, keys, usage`,
    `  Store     ${storeText(settings.store)}`,
    `  Pools     ${pools}`,
    `  Policy    ${counted(config.plans.size, 'plan')}, ${counted(config.models.size, 'model')}, ${counted(config.aliases.size, 'alias')}${config.tools.size > 0 ? `, ${counted(config.tools.size, 'tool')}` : ''}`,
    ...(trial
      ? trialLines({ ...trial, config, settings, publicUrl: settings.server.publicUrl, admin: urlOf(gateway.admin) })
      : []),
    '',
  ].join('\n')
}

interface Trial {
  readonly demo: Demo
  readonly key: string
  readonly adminToken: string
}
interface Trying extends Trial {
  readonly config: Config
  readonly settings: Settings
  readonly publicUrl: string
  readonly admin: string
}

function trialLines(trying: Trying): string[] {
  const { demo, key, admin, adminToken } = trying
  const { issuer, pid } = demo.identity
  const backends = demo.backends.map(({ name, pid }) => `${name} (pid ${pid})`).join('   ')
  return [
    `  Backends  ${backends}`,
    `  Sign-in   ${issuer} (pid ${pid})   ada's tokens name the plan pro, bob's none; no passwords`,
    ...toolLines(trying),
    ...demo.missing.map(sentence => `  Missing   ${sentence}`),
    '',
    `  Your key (plan ${demo.plan})   ${key}`,
    '',
    'Try it:',
    ...curl(trying, '-i', '/chat/completions', '{"messages":[{"role":"user","content":"What is 12*7+1?"}]}'),
    'As a stream:',
    ...curl(trying, '-N', '/chat/completions', '{"stream":true,"messages":[{"role":"user","content":"Count to 20"}]}'),
    ...withTool(trying),
    ...otherKinds(trying),
    `Pull a plug:   kill ${demo.backends[0]?.pid}; kill ${demo.backends[1]?.pid}     and ask again: x-svc-upstream becomes cloud-core`,
    `More keys:     SVCCTL_ADMIN=${admin} SVCCTL_TOKEN=${adminToken} npx svcctl keys mint --plan free --account ada`,
    ...signIn(trying),
  ]
}

/** The hosted tools and where they run, those outside of the gateway on a line each. */
function toolLines({ demo, settings }: Trying): string[] {
  const tools = [...settings.tools]
  const outside = tools.flatMap(([name, tool]) => (tool.kind === 'builtin' ? [] : [{ name, url: tool.url }]))
  const inside = tools.flatMap(([name, tool]) => (tool.kind === 'builtin' ? [name] : []))
  const width = Math.max(0, ...outside.map(({ name }) => name.length))
  const pidOf = (url: string) => (url.startsWith(`${demo.tools.origin}/`) ? ` (pid ${demo.tools.pid})` : '')
  const lines = [
    ...outside.map(({ name, url }) => `${name.padEnd(width)}   ${url}${pidOf(url)}`),
    ...(inside.length > 0 ? [`${inside.join(', ')}   in the gateway`] : []),
  ]
  return lines.map((line, i) => `  ${(i === 0 ? 'Tools' : '').padEnd(8)}  ${line}`)
}

/** How to have a tool run here, which the plan of the demo may not have. */
function withTool(trying: Trying): string[] {
  const name = 'convert_units'
  if (!trying.config.plans.get(trying.demo.plan)?.tools.has(name)) return []
  const body = `{"messages":[{"role":"user","content":"Convert 5 miles to km"}],"tools":[{"type":"hosted","name":"${name}"}]}`
  return ['With a tool that runs here:', ...curl(trying, '-s', '/chat/completions', body)]
}

/** How a user signs in and manages a key. The token goes from file to pipe: arguments are for everyone on the machine to read. */
function signIn({ demo, settings, publicUrl }: Trying): string[] {
  const session = `require(${JSON.stringify(sessionFile())}).sessions[${JSON.stringify(publicUrl)}]`
  const header = quoted(`"Authorization: Bearer " + ${session}.accessToken`)
  const keys = `${publicUrl}/v1/keys/developer`
  // A user's own key may be named by its mask.
  const own = `-d "{\\"key\\":\\"\${KEY:0:${`${settings.brand}_`.length + 4}}…\\"}"`
  const kept = `| cut -d '"' -f 4); echo $KEY`
  return [
    `Sign in:       npx svcctl login --issuer ${demo.identity.issuer} --audience ${publicUrl} && npx svcctl whoami`,
    `As that user:  own() { node -p ${header} | curl -sS -H @- -H 'content-type: application/json' "$@"; }`,
    `  mint         KEY=$(own ${keys} -d '{}' ${kept}`,
    `  rotate       KEY=$(own ${keys}/rotate ${own} ${kept}`,
    `  revoke       own ${keys}/revoke ${own}`,
  ]
}

/** A word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** How to try the kinds beside chat, of which the plan of the demo may have none. */
function otherKinds(trying: Trying): string[] {
  const embedding = modelOf('embedding', trying)
  const image = modelOf('image', trying)
  return [
    ...(embedding
      ? ['As vectors:', ...curl(trying, '-s', '/embeddings', `{"model":"${embedding}","input":["a cat","a kitten"]}`)]
      : []),
    ...(image ? ['As a picture:', ...curlPicture(trying, image)] : []),
  ]
}

function curlPicture(trying: Trying, model: string): string[] {
  const lines = curl(
    trying,
    '-s',
    '/images/generations',
    `{"model":"${model}","prompt":"hills at dawn","size":"512x512"}`,
  )
  // Node, since it is the one decoder that everybody here has.
  const save = `fs.writeFileSync("hills.png", JSON.parse(fs.readFileSync(0)).data[0].b64_json, "base64")`
  return [...lines.slice(0, -1), `${lines.at(-1)} \\`, `    | node -e '${save}'`]
}

const modelOf = (kind: Kind, { config, demo }: Trying): string | undefined =>
  [...config.models.values()].find(model => model.kind === kind && config.plans.get(demo.plan)?.models.has(model.name))
    ?.name

const curl = ({ publicUrl, key }: Trying, flags: string, path: string, body: string): string[] => [
  `  curl ${flags} ${publicUrl}/v1${path} \\`,
  `    -H "Authorization: Bearer ${key}" \\`,
  "    -H 'content-type: application/json' \\",
  `    -d '${body}'`,
]
