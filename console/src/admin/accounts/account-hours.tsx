import { useResource } from '../../shared/resource.ts'
import { Loaded } from '../../shared/states.tsx'
import { readHours } from '../api/usage.ts'
import * as text from '../texts/account.tsx'
import { UsageChart } from '../usage/usage-chart.tsx'

/** An account's usage in the last 48 hours, by hour and model. */
export function AccountHours({ id }: { readonly id: string }) {
  const usage = useResource(() => readHours('model', id), 60_000)
  return (
    <Loaded of={usage}>
      {({ bars }) =>
        bars.data.length === 0 ? (
          <section>
            <h2>{text.last48Hours}</h2>
            <p class="muted">{text.noUsageInTheseHours}</p>
          </section>
        ) : (
          <UsageChart title={text.last48Hours} usage={bars} split="model" />
        )
      }
    </Loaded>
  )
}
