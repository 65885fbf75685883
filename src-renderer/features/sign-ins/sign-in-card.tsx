import { Group, Stack, Text, Title } from '@mantine/core';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ReactElement,
  type RefObject,
} from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { Settlement, SignIn } from '../../../src-main/contract/sign-ins.ts';
import { useAction } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { LifetimeChoice } from '../../ui/lifetime-choice.tsx';
import look from '../../ui/look.module.css';
import { ScopeChoice } from '../../ui/scope-choice.tsx';
import { grantable } from '../../ui/scopes.ts';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { bringIntoView } from '../../ui/stillness.ts';
import { timeLeft, useNow } from '../../ui/time.ts';
import type { Ending } from './outcome.ts';
import styles from './sign-ins.module.css';

interface Props {
  readonly signIn: SignIn;
  /** True where the owner came for this one. */
  readonly asked: boolean;
  readonly onEnd: (ending: Ending) => void;
  /** Hears, as the card goes, how tall it was in pixels and whether the focus was in it. */
  readonly onLeave: (last: { height: number; hadFocus: boolean }) => void;
}

/** One sign-in, with all that the owner needs to answer it. */
export function SignInCard({ signIn, asked, onEnd, onLeave }: Props): ReactElement {
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const [scopes, setScopes] = useState(() => grantable(signIn.scopes));
  const [expiresIn, setExpiresIn] = useState<number | null>(null);
  const approve = useAction('signIns.approve');
  const deny = useAction('signIns.deny');
  const busy = approve.isPending || deny.isPending;
  const now = useNow();

  useEffect(() => {
    if (!asked) return;
    if (!title.current) return;
    title.current.focus({ preventScroll: true });
    bringIntoView(title.current, 'center');
  }, [asked]);

  useReportLeaving(card, onLeave);

  // A promise is heard also where an event took the card away before the answer came.
  const hear = (answer: Promise<Settlement>) =>
    void answer.then(
      ({ outcome }) => onEnd(outcome),
      (error: unknown) => {
        if (error instanceof PorchlightError && error.code === 'not_found') onEnd('gone');
      },
    );
  const onApprove = () => {
    deny.reset();
    // In the order in which the app asked, whatever order they were ticked in.
    const granted = signIn.scopes.filter((scope) => scopes.includes(scope));
    const params = { id: signIn.id, scopes: [...new Set(granted)] };
    hear(approve.mutateAsync(expiresIn === null ? params : { ...params, expiresIn }));
  };
  const onDeny = () => {
    approve.reset();
    hear(deny.mutateAsync({ id: signIn.id }));
  };

  return (
    <section ref={card} aria-labelledby={titleId} className={`${look.card} ${look.waiting}`}>
      <Stack gap="md">
        <div className={styles.head}>
          <AppMark name={signIn.clientName} logo={signIn.clientLogo} large />
          <div className={look.rowBody}>
            <Title order={2} id={titleId} ref={title} tabIndex={-1} lineClamp={2} className={styles.name}>
              <Foreign text={signIn.clientName} fallback={signIn.clientHost} />
            </Title>
            <Text c="dimmed">
              <Foreign text={signIn.clientHost} /> asks to sign you in
            </Text>
          </div>
          <div className={styles.code}>
            <Text size="xs" c="dimmed">
              Match code
            </Text>
            <span className={styles.digits}>{signIn.matchCode}</span>
          </div>
        </div>
        <Text size="sm">
          Your browser shows a code too. Approve only if it is the same one and you started this yourself.
        </Text>
        {signIn.warnings.map((warning) => (
          <WarningNote key={warning}>
            <Foreign text={warning} />
          </WarningNote>
        ))}
        {signIn.scopes.length === 0 ? (
          <Text>It asks for nothing but your address: it learns who you are and may do nothing for you.</Text>
        ) : (
          <ScopeChoice permissions={signIn.permissions} chosen={scopes} onChange={setScopes} />
        )}
        <LifetimeChoice
          label="It stays signed in"
          endless="Until I sign it out"
          seconds={expiresIn}
          onChange={setExpiresIn}
        />
        <dl className={styles.facts}>
          <dt>The app’s own address</dt>
          <dd>
            <Address url={signIn.clientId} />
          </dd>
          <dt>Your answer goes to</dt>
          <dd>
            <Address url={signIn.redirectUri} />
          </dd>
        </dl>
        <ErrorNote error={approve.error ?? deny.error} doing="Your answer did not arrive." />
        <Group>
          <SteadyButton color="amber.5" loading={approve.isPending} disabled={busy} onClick={onApprove}>
            Approve
          </SteadyButton>
          <SteadyButton variant="default" loading={deny.isPending} disabled={busy} onClick={onDeny}>
            Deny
          </SteadyButton>
          <Text size="sm" c="dimmed">
            {timeLeft(signIn.expiresAt, now)}
          </Text>
        </Group>
      </Stack>
    </section>
  );
}

/** Layout effects end while the card is still in the document, so it can be measured a last time. */
function useReportLeaving(card: RefObject<HTMLElement | null>, onLeave: Props['onLeave']): void {
  const report = useRef(onLeave);
  useLayoutEffect(() => {
    report.current = onLeave;
  }, [onLeave]);
  useLayoutEffect(() => {
    const element = card.current;
    return () => {
      if (!element) return;
      report.current({
        height: element.offsetHeight,
        hadFocus: element.contains(document.activeElement),
      });
    };
  }, [card]);
}
