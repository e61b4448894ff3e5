import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cores, familyOf, start, stop } from '../processes.js'

const configuration = ({ directory, port, backend }) => `worker_processes 1;
worker_rlimit_nofile 60000;
daemon off;
user root;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 50000; }
http {
  access_log off;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  client_body_buffer_size 128k;
  keepalive_requests 1000000000;
  upstream backend {
    server 127.0.0.1:${backend};
    keepalive 1024;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`

/** nginx with one worker. Buffering is off, because streams must not be buffered. */
export const nginx = {
  name: 'nginx, one worker',
  missing: () => (spawnSync('nginx', ['-v']).error ? 'nginx is not installed: apt-get install nginx-light' : undefined),
  async start({ port, backend, directory }) {
    const own = join(directory, `nginx-${port}`)
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'nginx.conf'), asUser(configuration({ directory: own, port, backend })))
    const child = await start(['nginx', '-c', join(own, 'nginx.conf'), '-e', join(own, 'error.log')], {
      core: cores.contender,
      port,
    })
    return { ports: [port], pids: familyOf(child.pid), stop: () => stop(child, 'SIGQUIT') }
  },
}

/** Only root may choose the workers' user and raise their limits. */
const asUser = text =>
  process.getuid?.() === 0 ? text : text.replace(/^user .*\n/m, '').replace(/^worker_rlimit_nofile.*\n/m, '')
