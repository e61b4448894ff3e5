import { secondsText } from '../deployment.ts'
import { firstNumber, type Section } from '../section.ts'

/** Timeouts, and when a failing backend is ejected. The router's settings take precedence. */
export function failoverOf(router: Section, settings: Section) {
  const numberOf = (field: string, other = field) => firstNumber([router, field], [settings, other])
  const [fails, cooldown] = [numberOf('allowed_fails'), numberOf('cooldown_time')]
  const [timeout, streamTimeout] = [numberOf('timeout', 'request_timeout'), numberOf('stream_timeout')]
  if (cooldown !== undefined && (cooldown === 0 || cooldown > MOST_SECONDS)) {
    const section = router.names().includes('cooldown_time') ? router : settings
    section.refuse(
      'cooldown_time',
      cooldown === 0 ? 'a failing replica is ejected for a time' : `a replica is ejected for at most ${MOST}`,
    )
  }
  const eject = {
    ...(fails !== undefined && { after: fails + 1 }),
    ...(cooldown && { for: secondsText(Math.min(cooldown, MOST_SECONDS)) }),
  }
  const failover = {
    ...(timeout && { answer_timeout: secondsText(timeout) }),
    ...(streamTimeout && { first_content_timeout: secondsText(streamTimeout) }),
    ...(Object.keys(eject).length > 0 && { eject }),
  }
  return {
    failover: Object.keys(failover).length > 0 ? failover : undefined,
    notes: fails === undefined ? [] : ['LiteLLM counts failures per minute; `after` counts failures in a row.'],
  }
}

const MOST_SECONDS = 60
const MOST = '60s'
