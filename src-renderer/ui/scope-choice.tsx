import { Checkbox, Fieldset, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Permission } from '../../src-main/contract/sign-ins.ts';
import { Foreign } from './foreign.tsx';
import styles from './shared.module.css';
import { grantable } from './scopes.ts';
import { scopeWords } from './words.ts';

interface Props {
  readonly permissions: readonly Permission[];
  readonly chosen: readonly string[];
  readonly onChange: (scopes: string[]) => void;
}

/** What an app can do: one checkbox for each permission. */
export function ScopeChoice({ permissions, chosen, onChange }: Props): ReactElement {
  const toggle = (scope: string, on: boolean) => {
    const others = chosen.filter((each) => each !== scope);
    onChange(grantable(on ? [...others, scope] : others));
  };
  return (
    <Fieldset legend={scopeWords.legend} variant="unstyled">
      <Stack gap="xs" mt={6}>
        {permissions.map(({ scope, words }) => {
          const needsProfile = scope === 'email' && !chosen.includes('profile');
          return (
            <Checkbox
              key={scope}
              checked={chosen.includes(scope)}
              disabled={needsProfile}
              onChange={(event) => toggle(scope, event.currentTarget.checked)}
              label={
                <>
                  <Foreign text={words} />{' '}
                  <span className={styles.scope}>
                    <Foreign text={scope} />
                  </span>
                </>
              }
              description={needsProfile ? scopeWords.needsProfile : undefined}
            />
          );
        })}
      </Stack>
    </Fieldset>
  );
}
