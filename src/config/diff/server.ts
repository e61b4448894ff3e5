import type { Address } from '../model/formats.ts'
import type { AdminTlsSettings, Settings } from '../settings.ts'
import { plumbing, type Rules, type Sides, same } from './changes.ts'
import { membersRule, optional, pathChange, plain, SECTIONS, secretChange, setting } from './setting-rules.ts'
import { text } from './values.ts'

/** The rules of the listeners, the process and its operators. */
export function serverRules(sides: Sides): Rules<Settings['server']> {
  const { console, contact, ...others } = SECTIONS.server
  return {
    listen: setting('server.listen', addressText, plumbing),
    admin: setting('server.admin', addressText, plumbing),
    publicUrl: setting('server.public_url', text, plumbing),
    stateDir: (from, to) => pathChange('server.state_dir', from, to, sides),
    consoleUrl: setting<string | undefined>('server.console_url', text, plumbing),
    console,
    adminUrl: setting<string | undefined>('server.admin_url', text, plumbing),
    fleetUrl: setting<string | undefined>('server.fleet_url', text, plumbing),
    adminToken: (from, to) => secretChange('server.admin_token', 'the admin token', from, to, sides),
    adminTls: optional<AdminTlsSettings>(adminTlsRules(sides), {
      gone: { ...plain('server.admin_tls', 'the admin listener is without TLS'), from: 'admin_tls' },
      added: { ...plain('server.admin_tls', 'the admin listener has TLS'), to: 'admin_tls' },
    }),
    contact,
    trustedProxies: membersRule('server.trusted_proxies', 'is trusted as a proxy'),
    variables: membersRule('server.variables', 'is a variable that applied files may read'),
    workers: setting('server.workers', String, plumbing),
    ...others,
  }
}

const adminTlsRules = (sides: Sides): Rules<AdminTlsSettings> => ({
  certificate: (from, to) =>
    secretChange('server.admin_tls.certificate', 'the certificate of the admin listener', from, to, sides),
  key: same(),
  clientCa: (from, to) =>
    secretChange('server.admin_tls.client_ca', "the authority for operators' certificates", from, to, sides),
  fleetCa: (from, to) =>
    secretChange('server.admin_tls.fleet_ca', "the authority for other gateways' certificates", from, to, sides),
  fleetCertificate: (from, to) =>
    secretChange('server.admin_tls.fleet_certificate', 'the certificate for other gateways', from, to, sides),
  fleetKey: same(),
  admins: membersRule('server.admin_tls.admins', 'is an admin by certificate'),
  support: membersRule('server.admin_tls.support', 'is support by certificate'),
  viewers: membersRule('server.admin_tls.viewers', 'is a viewer by certificate'),
})

const addressText = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
