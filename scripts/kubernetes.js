// Writes deploy/kubernetes from the Helm chart, so that nothing is written twice: `node scripts/kubernetes.js`. It needs helm.
// `--check` exits 1 if one is stale.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MANIFESTS = {
  'redis.yaml': [],
  'embedded.yaml': ['--set', 'store=embedded'],
  // A whole file: a Deployment with `replicas` would overrule the autoscaler at each apply.
  'redis-autoscaled.yaml': ['--set', 'autoscaling.enabled=true'],
  'service-monitor.yaml': ['--set', 'serviceMonitor.enabled=true', '--show-only', 'templates/service-monitor.yaml'],
}
const BANNER = '# Generated from deploy/helm/svc-gateway by scripts/kubernetes.js. Do not edit.\n'
const chart = fileURLToPath(new URL('../deploy/helm/svc-gateway', import.meta.url))
const folder = fileURLToPath(new URL('../deploy/kubernetes', import.meta.url))

let stale = 0
for (const [file, flags] of Object.entries(MANIFESTS)) {
  const args = ['template', 'svc-gateway', chart, '--namespace', 'svc-gateway', '--kube-version', '1.30.0', ...flags]
  const text =
    BANNER + execFileSync('helm', args, { encoding: 'utf8' }).replaceAll(/managed-by: Helm/g, 'managed-by: kubectl')
  const path = `${folder}/${file}`
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (read(path) !== text) {
    stale++
    console.error(`deploy/kubernetes/${file} is stale: node scripts/kubernetes.js`)
  }
}
process.exitCode = stale === 0 ? 0 : 1

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
