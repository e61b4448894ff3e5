import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { load } from '../../src/config/load.ts'
import { ROOT, textOf } from './files.ts'

const secrets = { CLOUD_KEY: 'x', METRICS_TOKEN: 'a-token-of-24-characters', REDIS_PASSWORD: 'x' }

const loadOf = (file: string, env: NodeJS.ProcessEnv) => {
  const result = load(file, env, ROOT)
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1))
  return result.loaded
}

/** The environment of a gateway under compose.yaml, where the shell sets only the secrets. */
function composed(): NodeJS.ProcessEnv {
  const { 'x-gateway': gateway } = parse(textOf('deploy/compose.yaml'), { merge: true })
  const given: Record<string, string> = gateway.environment
  const image = [...textOf('deploy/Containerfile').matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value])
  return { ...Object.fromEntries(image), ...given, ...secrets, PUBLIC_URL: 'http://localhost:8000' }
}

it('deploy/config.yaml loads without a warning: two gateways on Redis, JSON logs, metrics behind a token', () => {
  const { settings, warnings } = loadOf('deploy/config.yaml', secrets)
  expect(warnings).toEqual([])
  expect(settings.store.kind).toBe('redis')
  expect(settings.server.instances).toBe(2)
  expect(settings.log.format).toBe('json')
  expect(settings.metrics).toMatchObject({ public: false })
})

it('under compose.yaml a gateway trusts nginx as its only proxy, and warns only of its exposed admin listener', () => {
  const { settings, warnings } = loadOf('deploy/config.yaml', composed())
  expect(warnings.map(({ rule }) => rule)).toEqual(['admin-exposed'])
  const { services } = parse(textOf('deploy/compose.yaml'), { merge: true })
  expect(settings.server.trustedProxies).toEqual([services.nginx.networks.front.ipv4_address])
  expect(settings.server.stateDir).toBe('/var/lib/svc-gateway')
  expect(settings.server.listen).toEqual({ host: '0.0.0.0', port: 8080 })
})

it('config.example.yaml loads without a warning in the environment of svc-gateway.service', () => {
  const unit = textOf('deploy/svc-gateway.service')
  const given =
    /^Environment=(.+)$/m
      .exec(unit)?.[1]
      ?.split(' ')
      .map(pair => pair.split('=')) ?? []
  const { settings, warnings } = loadOf('config.example.yaml', { ...Object.fromEntries(given), CLOUD_KEY: 'x' })
  expect(warnings).toEqual([])
  expect(settings.server.stateDir).toBe('/var/lib/svc-gateway')
  expect(settings.store).toEqual({ kind: 'embedded', path: '/var/lib/svc-gateway' })
})

it('systemd and compose wait for running requests to end, and allow two files for each connection', () => {
  const { settings } = loadOf('deploy/config.yaml', secrets)
  const { drainDelay, drainTimeout } = settings.server
  const least = (drainDelay + drainTimeout) / 1000 + 12
  const unit = textOf('deploy/svc-gateway.service')
  const { 'x-gateway': gateway } = parse(textOf('deploy/compose.yaml'), { merge: true })
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(least)
  expect(Number.parseInt(gateway.stop_grace_period, 10)).toBeGreaterThanOrEqual(least)
  const files = 2 * settings.listener.connections
  expect(Number(/^LimitNOFILE=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(files)
  expect(gateway.ulimits.nofile).toBeGreaterThan(files)
})

it('nginx outwaits the slowest backend, and drops an idle connection before the gateway does', () => {
  const { settings } = loadOf('deploy/config.yaml', secrets)
  const nginx = textOf('deploy/nginx.conf')
  const seconds = (name: string) => 1000 * Number(new RegExp(`^\\s*${name} (\\d+)s;`, 'm').exec(nginx)?.[1])
  const answers = [...settings.backends.values()].map(({ answerTimeout }) => answerTimeout)
  expect(seconds('proxy_read_timeout')).toBeGreaterThan(Math.max(...answers))
  expect(seconds('keepalive_timeout')).toBeLessThan(settings.listener.idleTimeout)
})
