#!lua name=rearview

-- The journal's writes, each one atomic. Runs on Valkey 7.2+ and Redis 7+.
--
-- Keys, always in this order and all under one hash tag (persistence/keys.py):
--   1 head           hash    epoch, seq, chain of the last entry
--   2 journal        stream  one entry per command, id <seq>-0, fields b (body) and c (chain)
--   3 receipts       hash    idempotency key -> body hash (32 bytes) .. msgpack(seq, outcome)
--   4 receipt times  zset    idempotency key -> when it was used, ms UTC, by the caller's clock
--   5 audit          stream  one entry per change and per refusal, id <number>-0, fields b (body) and c (chain)
--   6 audit head     hash    number, chain of the last audit entry; anchor, anchor_chain: what was dropped before
--
-- Rules that must hold:
--   * every check comes before the first write, because a script is not rolled back;
--   * stream ids come from seq, never from '*': a repeated call must not become a second entry;
--   * the server's clock decides nothing about order, ownership or expiry.
--
-- Raise VERSION with every change: a process loads its library only over an older one.

local VERSION = 2
local BODY_HASH_BYTES = 32
local DAY_MS = 86400000
-- Old receipts dropped per call. More than one, so that a backlog shrinks; few, so that no call is slow.
local PRUNED_PER_CALL = 4

local function number_in(key, field)
  return tonumber(redis.call('HGET', key, field) or '0')
end

local function version()
  return VERSION
end

local function now_microseconds()
  local now = redis.call('TIME')
  return string.format('%d%06d', tonumber(now[1]), tonumber(now[2]))
end

-- key: the store's own key; args: none -> the store's identity, made on the first call.
local function store(keys)
  redis.call('SET', keys[1], now_microseconds(), 'NX')
  return redis.call('GET', keys[1])
end

-- args: none -> {epoch, seq, chain}
-- A first epoch comes from the server's clock in microseconds. It only has to differ from every epoch that an owner
-- from before an erasure may still hold, so that the fence survives although the erasure keeps nothing.
local function open(keys)
  if redis.call('HEXISTS', keys[1], 'epoch') == 0 then
    redis.call('HSET', keys[1], 'epoch', now_microseconds())
  else
    redis.call('HINCRBY', keys[1], 'epoch', 1)
  end
  local head = redis.call('HMGET', keys[1], 'epoch', 'seq', 'chain')
  return {tonumber(head[1]), tonumber(head[2] or '0'), head[3] or ''}
end

-- The stored receipt of a key, or nil when there is none or it is older than a day.
local function live_receipt(keys, key, now_ms)
  local at_ms = redis.call('ZSCORE', keys[4], key)
  if not at_ms or tonumber(at_ms) <= now_ms - DAY_MS then
    return nil
  end
  return redis.call('HGET', keys[3], key)
end

local function remember(keys, key, receipt, now_ms)
  redis.call('HSET', keys[3], key, receipt)
  redis.call('ZADD', keys[4], now_ms, key)
  local old = redis.call('ZRANGEBYSCORE', keys[4], '-inf', now_ms - DAY_MS, 'LIMIT', 0, PRUNED_PER_CALL)
  if #old > 0 then
    redis.call('HDEL', keys[3], unpack(old))
    redis.call('ZREM', keys[4], unpack(old))
  end
end

-- Add one audit entry; returns nil, or why it was refused, with nothing written.
local function note(keys, after_number, body, chain)
  local number = number_in(keys[6], 'number')
  if number ~= tonumber(after_number) then
    return {'AUDIT', number}
  end
  number = string.format('%d', number + 1)
  local added = redis.pcall('XADD', keys[5], number .. '-0', 'b', body, 'c', chain)
  if type(added) == 'table' and added.err then
    return {'BROKEN', added.err}
  end
  redis.call('HSET', keys[6], 'number', number, 'chain', chain)
  return nil
end

-- args: after_number, body, chain, whether everything before is dropped ('1') -> {'OK'} | {'AUDIT', number} | {'BROKEN'}
local function audit(keys, args)
  local before = redis.call('HGET', keys[6], 'chain') or ''
  local refused = note(keys, args[1], args[2], args[3])
  if refused then
    return refused
  end
  if args[4] == '1' then
    redis.call('HSET', keys[6], 'anchor', args[1], 'anchor_chain', before)
    redis.call('XTRIM', keys[5], 'MINID', '=', string.format('%d-0', tonumber(args[1]) + 1))
  end
  return {'OK'}
end

-- args: epoch, after_seq, now_ms, idempotency key or '', receipt or '', audit number before or '', audit body and chain,
-- then body and chain of each entry.
-- -> {'OK'} | {'DUP', receipt, at_ms} | {'CONFLICT'} | {'SEQ', last} | {'FENCED', epoch} | {'BROKEN', error}
--    | {'AUDIT', last number}
local function append(keys, args)
  local epoch = number_in(keys[1], 'epoch')
  if epoch ~= tonumber(args[1]) then
    return {'FENCED', epoch}
  end
  local now_ms, key, receipt = tonumber(args[3]), args[4], args[5]
  if key ~= '' then
    local before = live_receipt(keys, key, now_ms)
    if before then
      if string.sub(before, 1, BODY_HASH_BYTES) ~= string.sub(receipt, 1, BODY_HASH_BYTES) then
        return {'CONFLICT'}
      end
      return {'DUP', before, redis.call('ZSCORE', keys[4], key)}
    end
  end
  local seq = number_in(keys[1], 'seq')
  if seq ~= tonumber(args[2]) then
    return {'SEQ', seq}
  end
  if args[6] ~= '' then
    local refused = note(keys, args[6], args[7], args[8])
    if refused then
      return refused
    end
  end
  for i = 9, #args, 2 do
    seq = seq + 1
    -- Only the first XADD can be refused (a stream that is ahead of its head); the journal is as it was by then.
    local added = redis.pcall('XADD', keys[2], string.format('%d-0', seq), 'b', args[i], 'c', args[i + 1])
    if type(added) == 'table' and added.err then
      return {'BROKEN', added.err}
    end
  end
  if #args >= 10 then
    redis.call('HSET', keys[1], 'seq', string.format('%d', seq), 'chain', args[#args])
  end
  if key ~= '' then
    remember(keys, key, receipt, now_ms)
  end
  return {'OK'}
end

-- args: idempotency key, now_ms -> {} | {receipt, at_ms}
local function receipt(keys, args)
  local found = live_receipt(keys, args[1], tonumber(args[2]))
  if not found then
    return {}
  end
  return {found, redis.call('ZSCORE', keys[4], args[1])}
end

-- args: to_seq -> number of entries dropped. Never drops what the head does not know yet.
local function trim(keys, args)
  local to_seq = math.min(tonumber(args[1]), number_in(keys[1], 'seq'))
  return redis.call('XTRIM', keys[2], 'MINID', '=', string.format('%d-0', to_seq + 1))
end

-- args: none -> number of entries dropped. Removes every key of the user but the audit's, which says that it happened.
local function erase(keys)
  local entries = redis.call('XLEN', keys[2])
  redis.call('DEL', keys[1], keys[2], keys[3], keys[4])
  return entries
end

-- A full server (maxmemory) must still let an owner take over, trim and erase: 'allow-oom' for these, not for append.
redis.register_function{function_name = 'rearview_version', callback = version, flags = {'no-writes'}}
redis.register_function{function_name = 'rearview_store', callback = store, flags = {'allow-oom'}}
redis.register_function{function_name = 'rearview_open', callback = open, flags = {'allow-oom'}}
redis.register_function{function_name = 'rearview_append', callback = append}
redis.register_function{function_name = 'rearview_audit', callback = audit, flags = {'allow-oom'}}
redis.register_function{function_name = 'rearview_receipt', callback = receipt, flags = {'no-writes'}}
redis.register_function{function_name = 'rearview_trim', callback = trim, flags = {'allow-oom'}}
redis.register_function{function_name = 'rearview_erase', callback = erase, flags = {'allow-oom'}}
