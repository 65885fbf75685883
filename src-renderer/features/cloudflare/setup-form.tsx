import type { ReactElement } from 'react';
import { AddressStep } from './address-step.tsx';
import { TokenStep } from './token-step.tsx';
import type { Cloudflare } from './use-cloudflare.ts';
import type { SetupDraftState } from './use-setup-draft.ts';
import { tokenWords as words } from './words.ts';

interface Props extends SetupDraftState {
  readonly cloudflare: Cloudflare;
  /** Lays out each step's main button. By default, it stands alone. */
  readonly actions?: ((primary: ReactElement) => ReactElement) | undefined;
}

const alone = (primary: ReactElement) => <div>{primary}</div>;

/** Sets up a permanent address from one Cloudflare token: first the token, then what to create with it. */
export function SetupForm({ draft, change, cloudflare, actions = alone }: Props): ReactElement {
  return (
    <div role="group" aria-label={words.group}>
      {draft.connected === null ? (
        <TokenStep onConnected={(connected) => change({ connected })} actions={actions} />
      ) : (
        <AddressStep {...{ draft, change, cloudflare, actions }} connected={draft.connected} />
      )}
    </div>
  );
}
