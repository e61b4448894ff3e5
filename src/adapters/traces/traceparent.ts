import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'

/** The span that a client names as the parent of its request; undefined where the header is absent or not valid (W3C Trace Context). */
export function readTraceparent(text: string | undefined): SpanContext | undefined {
  const { traceId = '', spanId = '' } =
    /^00-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '')?.groups ?? {}
  const context: SpanContext = { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}

export const traceparentOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`
