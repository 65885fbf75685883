import type { ReactElement } from 'react';
import shared from '../../ui/shared.module.css';
import { AddressStep } from './address-step.tsx';
import { TokenStep } from './token-step.tsx';
import type { Cloudflare } from './use-cloudflare.ts';
import type { SetupDraftState } from './use-setup-draft.ts';
import { tokenWords as words } from './words.ts';

interface Props extends SetupDraftState {
  readonly cloudflare: Cloudflare;
}

/** Sets up a permanent address from one Cloudflare token: first the token, then what to create with it. */
export function SetupForm({ draft, change, cloudflare }: Props): ReactElement {
  return (
    <div role="group" aria-label={words.group} className={shared.card}>
      {draft.connected === null ? (
        <TokenStep onConnected={(connected) => change({ connected })} />
      ) : (
        <AddressStep {...{ draft, change, cloudflare }} connected={draft.connected} />
      )}
    </div>
  );
}
