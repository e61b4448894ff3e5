import { fileURLToPath } from 'node:url'
import { peer } from './peer.js'

const binary = name => fileURLToPath(new URL(`../../peers/.venv/bin/${name}`, import.meta.url))
const install = 'sh bench/peers/install.sh'
/** The offset of a router's port for metrics from its own. */
const METRICS_ABOVE = 300

/** Options that both share: one backend, no retries and no breaker, which never matter here, and room for all connections. */
const options = ({ port, backend }) => [
  ...['--host', '127.0.0.1', '--port', String(port), '--worker-urls', `http://127.0.0.1:${backend}`],
  ...['--policy', 'round_robin', '--disable-retries', '--disable-circuit-breaker', '--max-concurrent-requests', '1000'],
  ...['--prometheus-port', String(port + METRICS_ABOVE)],
]

/** The router of the vLLM project, in Rust. */
export const vllmRouter = peer({
  name: 'vllm-router 0.1.17',
  program: binary('vllm-router'),
  install,
  command: place => ({ words: [...options(place), '--log-level', 'error'] }),
})

/** The router of the SGLang project, in Rust. */
export const sglangRouter = peer({
  name: 'sglang-router 0.3.2',
  program: binary('python'),
  install,
  command: place => ({ words: ['-m', 'sglang_router.launch_router', ...options(place), '--log-level', 'warn'] }),
})
