import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Params, Result } from '../../../src-main/contract/contract.ts';
import { useClient } from '../../client/queries.ts';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { nameTyped } from './token-page.ts';
import { isTokenError, type Cloudflare } from './use-cloudflare.ts';
import type { Connected, SetupDraftState } from './use-setup-draft.ts';
import { addressWords as words, mailboxLines } from './words.ts';

interface Props extends SetupDraftState {
  readonly connected: Connected;
  readonly cloudflare: Cloudflare;
  /** Lays out the button that sets up the address. */
  readonly actions: (primary: ReactElement) => ReactElement;
}

/** Chooses the address and what to create for it, with a token that works. */
export function AddressStep({ connected, draft, change, cloudflare, actions }: Props): ReactElement {
  const { zones, accounts } = connected;
  const zone =
    zones.find(({ id, active }) => id === draft.zoneId && active) ?? zones.find(({ active }) => active);
  const [judged, setJudged] = useState(false);
  const hostname = zone && nameTyped(draft.name, zone.name);
  const check = useNameCheck(zone && hostname !== undefined ? { zoneId: zone.id, hostname } : null);
  const first = useRef<HTMLSelectElement>(null);
  const restart = () => change({ connected: null });
  // After a failure, the reason takes the focus.
  const hasFailed = useRef(cloudflare.failure !== null);
  useEffect(() => {
    if (!hasFailed.current) first.current?.focus();
  }, []);
  const isTokenGone = isTokenError(check.error);

  if (zone === undefined)
    return (
      <Stack align="flex-start">
        <WarningNote>
          <b>{words.noDomain}</b> {words.noDomainHelp} {zones.length > 0 && words.inactiveHelp}
        </WarningNote>
        <Button variant="default" onClick={restart}>
          {words.otherToken}
        </Button>
      </Stack>
    );

  const taken = check.answer?.available === false ? check.answer.words : undefined;
  const nameProblem = hostname === undefined ? words.badName : taken;
  const submit = () => {
    setJudged(true);
    if (hostname === undefined || taken !== undefined) return;
    const { mailbox, keepToken } = draft;
    cloudflare.setUp({ accountId: zone.accountId, zoneId: zone.id, hostname, mailbox, keepToken });
  };
  const account = accounts.length > 1 ? accounts.find(({ id }) => id === zone.accountId) : undefined;
  return (
    <Form onSubmit={submit}>
      <Text fw={600}>{words.title}</Text>
      <Group gap="sm">
        <Text role="status" size="sm">
          {words.works}
        </Text>
        <Button variant="default" size="xs" onClick={restart}>
          {words.otherToken}
        </Button>
      </Group>
      <NativeSelect
        ref={first}
        label={words.domain}
        description={account && <Foreign text={words.account(account.name)} />}
        data={zones.map(({ id, name: domain, active }) => ({
          value: id,
          label: active ? domain : words.inactive(domain),
          disabled: !active,
        }))}
        value={zone.id}
        onChange={(event) => change({ zoneId: event.currentTarget.value })}
      />
      {zones.some(({ active }) => !active) && (
        <Text size="xs" c="dimmed" mt={-8}>
          {words.inactiveHelp}
        </Text>
      )}
      <TextInput
        label={words.name}
        description={words.aboutName}
        autoCapitalize="off"
        maxLength={253}
        value={draft.name}
        error={judged || taken !== undefined || draft.name !== '' ? nameProblem : undefined}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <div>
        {hostname !== undefined && (
          <Text fw={600} className={shared.wrap}>
            {words.preview}
            <Address url={`https://${hostname}`} />
          </Text>
        )}
        <Text role="status" size="sm" c="dimmed" mih="1.5em" className={shared.wrap}>
          {hostname !== undefined && check.error === null && sentenceOf(hostname, check.answer)}
        </Text>
        <ErrorNote error={check.error} doing={words.notChecked} />
        {isTokenGone && (
          <Button variant="default" size="xs" mt="xs" onClick={restart}>
            {words.otherToken}
          </Button>
        )}
      </div>
      <ChoiceFields draft={draft} change={change} />
      <Failure cloudflare={cloudflare} />
      {actions(
        <Button type="submit" size="md" color="amber.5" disabled={taken !== undefined}>
          <span className={shared.wrap}>{words.setUp(hostname ?? zone.name)}</span>
        </Button>,
      )}
    </Form>
  );
}

/** A name that isn't available is an error of the field, which names it. */
function sentenceOf(hostname: string, answer: { readonly available: boolean } | null): string {
  if (answer === null) return words.checking;
  return answer.available ? words.available(hostname) : '';
}

/** Why the setup that was started with these choices failed. It takes the focus, because the button had gone. */
function Failure({ cloudflare: { failure } }: { cloudflare: Cloudflare }): ReactElement {
  const note = useRef<HTMLDivElement>(null);
  const error = failure?.task === 'setUp' ? failure.error : null;
  useEffect(() => {
    if (error !== null) note.current?.focus();
  }, [error]);
  return (
    <div ref={note} tabIndex={-1} className={shared.outcome}>
      <ErrorNote error={error} doing={words.failed} />
    </div>
  );
}

/** Chooses whether there is a mailbox, and whether the token is kept. */
function ChoiceFields({ draft, change }: SetupDraftState): ReactElement {
  return (
    <>
      <Checkbox
        label={words.mailbox}
        description={<MailboxLines />}
        checked={draft.mailbox}
        onChange={(event) => change({ mailbox: event.currentTarget.checked })}
      />
      <Checkbox
        label={words.keepToken}
        description={words.aboutKeeping}
        checked={draft.keepToken}
        onChange={(event) => change({ keepToken: event.currentTarget.checked })}
      />
    </>
  );
}

/** Says what the mailbox keeps and what it never stores, a line each. */
function MailboxLines(): ReactElement {
  return (
    <>
      {mailboxLines.map((line) => (
        <Text key={line} component="span" inherit display="block">
          {line}
        </Text>
      ))}
    </>
  );
}

/** How long the owner has to pause before a name is checked, in ms. */
const pauseMs = 400;

interface NameCheck {
  /** Null until the name that is typed now has been checked. */
  readonly answer: Result<'cloudflare.checkName'> | null;
  readonly error: Error | null;
}

/** Checks whether a name is available once the owner pauses. `requested`: null while the name isn't valid. */
function useNameCheck(requested: Params<'cloudflare.checkName'> | null): NameCheck {
  const client = useClient();
  const [settled] = useDebouncedValue(requested, pauseMs);
  const isSettled =
    requested !== null && settled?.hostname === requested.hostname && settled.zoneId === requested.zoneId;
  const params = settled ?? { zoneId: '', hostname: '' };
  const { data, error } = useQuery({
    queryKey: ['cloudflare.checkName', params],
    queryFn: () => client.call('cloudflare.checkName', params),
    enabled: isSettled,
    gcTime: 0,
    staleTime: 0,
  });
  return isSettled ? { answer: data ?? null, error } : { answer: null, error: null };
}
