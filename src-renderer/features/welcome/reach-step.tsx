import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import { isLocal } from '../../ui/local-address.ts';
import { ReachForm } from '../reach/reach-form.tsx';
import { StepFrame, type StepProps } from './step-frame.tsx';

/** The second step: how the world comes to this computer. */
export function ReachStep(ways: StepProps): ReactElement {
  const base = useAnswer('status.get', {}).data?.baseUrl ?? '';
  const [told, setTold] = useState(false);
  const hasAddress = base !== '' && !isLocal(base);
  return (
    <StepFrame
      title="How are you reached?"
      about="Apps and other sites have to find this computer. You need a public address that leads here."
      next="Go on"
      ready={told || hasAddress}
      {...ways}
    >
      <ReachForm onReady={() => setTold(true)} />
      <div role="status">
        {hasAddress && (
          <Text>
            You are reached at <Address url={base} />.
          </Text>
        )}
      </div>
    </StepFrame>
  );
}
