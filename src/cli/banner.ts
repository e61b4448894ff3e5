import type { Loaded } from '../config/settings.ts'
import { urlOf } from './control/open.ts'
import type { Demo } from './demo.ts'
import type { RunningGateway } from './gateway.ts'
import { version } from './version.ts'

/** What `serve` prints once it serves: where, with which pools, and for a demo how to try it. */
export function banner(
  { config, settings, files }: Loaded,
  gateway: RunningGateway,
  trial?: { demo: Demo; key: string; adminToken: string },
): string {
  const title = trial ? 'demo · real backends on loopback · the store is gone when you stop' : files[0]
  const pools = [...config.pools.values()].map(pool => `${pool.name} ×${pool.replicas.length}`).join('   ')
  return [
    `svcctl ${version} · ${title} · revision ${config.revision}`,
    '',
    `  API       ${settings.server.publicUrl}/v1        listens on ${urlOf(gateway.listen)}`,
    `  Admin     ${urlOf(gateway.admin)}           health, keys`,
    `  Pools     ${pools}`,
    `  Policy    ${config.plans.size} plans, ${config.models.size} models, ${config.aliases.size} aliases`,
    ...(trial ? trialLines(settings.server.publicUrl, urlOf(gateway.admin), trial) : []),
    '',
  ].join('\n')
}

function trialLines(
  publicUrl: string,
  admin: string,
  { demo, key, adminToken }: { demo: Demo; key: string; adminToken: string },
): string[] {
  const backends = demo.backends.map(({ name, pid }) => `${name} (pid ${pid})`).join('   ')
  const curl = (flags: string, body: string) => [
    `  curl ${flags}${publicUrl}/v1/chat/completions \\`,
    `    -H "Authorization: Bearer ${key}" \\`,
    "    -H 'content-type: application/json' \\",
    `    -d '${body}'`,
  ]
  return [
    `  Backends  ${backends}`,
    '',
    `  Your key (plan ${demo.plan})   ${key}`,
    '',
    'Try it:',
    ...curl('-i ', '{"messages":[{"role":"user","content":"What is 12*7+1?"}]}'),
    'As a stream:',
    ...curl('-N ', '{"stream":true,"messages":[{"role":"user","content":"Count to 20"}]}'),
    `Pull a plug:   kill ${demo.backends[0]?.pid}; kill ${demo.backends[1]?.pid}     and ask again: x-svc-upstream becomes cloud-core`,
    `More keys:     SVCCTL_ADMIN=${admin} SVCCTL_TOKEN=${adminToken} npx svcctl keys mint --plan free --account ada`,
  ]
}
