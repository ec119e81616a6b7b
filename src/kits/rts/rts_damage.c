// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damage: what becomes of it between the one who deals it and the health of the other. Both ways to
// deal it, by call and by the execution for effects, compute it alike.

#include "attack_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_COOKIE 0x44545542u
#define DAMAGE_COOKIE 0x44414d47u

// Tables --------------------------------------------------------------------------------

kn_rts_damage_table_def kn_rts_damage_table_def_default(void)
{
    kn_rts_damage_table_def def = {.cookie = TABLE_COOKIE};
    return def;
}

static void table_init(void *def)
{
    *(kn_rts_damage_table_def *)def = kn_rts_damage_table_def_default();
}

static void row_init(void *def)
{
    *(kn_rts_damage_row *)def = (kn_rts_damage_row){.factor = 1.0f};
}

static const kn_def_field row_fields[] = {
    KN_DEF_F_REF(
        kn_rts_damage_row, type, KN_DEF_TAG, "Damage of this type, or of one below it; required."),
    KN_DEF_F_REF(kn_rts_damage_row, armour, KN_DEF_TAG, "Targets with this tag; default all."),
    KN_DEF_F(kn_rts_damage_row, factor, KN_FIELD_F32,
        "The damage is multiplied by it, 0 or more; default 1."),
};
static const kn_def_table row_table = {
    "rts_damage_row", sizeof(kn_rts_damage_row), row_fields, COUNT(row_fields), row_init};

static const kn_def_field table_fields[] = {
    KN_DEF_F(kn_rts_damage_table_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ARRAY(kn_rts_damage_table_def, rows, row_count, &row_table,
        "Of all rows, in order, the first that fits counts: those for special cases come first."),
    KN_DEF_F(kn_rts_damage_table_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table damage_table = {"rts_damage_table_def", sizeof(kn_rts_damage_table_def),
    table_fields, COUNT(table_fields), table_init};

static kn_result table_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_damage_table_def *def = item;
    (void)user;
    (void)library;
    for (uint32_t i = 0; i < def->row_count; i++) {
        const kn_rts_damage_row *row = &def->rows[i];
        if (row->type.index1 == 0 || !isfinite(row->factor) || row->factor < 0.0f) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "damage table `%s`: each of its `rows` must have a `type`, and a `factor` of 0 or "
                "more",
                def->name);
        }
    }
    return KN_OK;
}

kn_result kn_rts_damage_table_register(
    kn_library *library, const kn_rts_damage_table_def *def, kn_error *error)
{
    const attack_kit *kit = knc_rts_attack_of(library);
    uint32_t ignored;
    return def != NULL && kit != NULL
               ? kn_def_register(library, kit->table_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

static kn_result rows_expand(kn_library *library, attack_kit *kit)
{
    const uint32_t tables = kn_def_count(library, kit->table_kind);
    uint32_t count = 0, filled = 0;
    for (uint32_t i = 1; i <= tables; i++) {
        const kn_rts_damage_table_def *def = kn_def_get(library, kit->table_kind, i);
        count += def->row_count;
    }
    free(kit->rows);
    kit->row_count = 0;
    kit->rows = malloc((count + 1) * sizeof(*kit->rows));
    if (kit->rows == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= tables; i++) {
        const kn_rts_damage_table_def *def = kn_def_get(library, kit->table_kind, i);
        for (uint32_t j = 0; j < def->row_count; j++) {
            kit->rows[filled++] = def->rows[j];
        }
    }
    kit->row_count = filled;
    return KN_OK;
}

float kn_rts_damage_factor(const kn_world *world, kn_tag type, kn_entity_id target)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    const uint32_t count = kit != NULL && type.index1 != 0 ? kit->row_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        const kn_rts_damage_row *row = &kit->rows[i];
        if (kn_tag_matches(kn_world_library(world), type, row->type) &&
            (row->armour.index1 == 0 || kn_entity_has_tag(world, target, row->armour))) {
            return row->factor;
        }
    }
    return 1.0f;
}

// What becomes of damage ----------------------------------------------------------------

const kn_field knc_rts_damage_fields[DAMAGE_FIELDS] = {
    KN_FIELD(kn_rts_damage, source, KN_FIELD_ENTITY),
    KN_FIELD(kn_rts_damage, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_rts_damage, causer, KN_FIELD_ENTITY),
    KN_FIELD_TO(kn_rts_damage, weapon, "rts weapon"),
    KN_FIELD(kn_rts_damage, type, KN_FIELD_TAG),
    KN_FIELD(kn_rts_damage, flags, KN_FIELD_U32),
    KN_FIELD(kn_rts_damage, asked, KN_FIELD_F32),
    KN_FIELD(kn_rts_damage, mitigated, KN_FIELD_F32),
    KN_FIELD(kn_rts_damage, absorbed, KN_FIELD_F32),
    KN_FIELD(kn_rts_damage, overkill, KN_FIELD_F32),
    KN_FIELD(kn_rts_damage, dealt, KN_FIELD_F32),
};

kn_rts_damage_def kn_rts_damage_def_default(void)
{
    kn_rts_damage_def def = {.cookie = DAMAGE_COOKIE};
    return def;
}

static bool has(const kn_world *world, kn_entity_id entity, kn_rts_tag_name tag)
{
    return kn_entity_has_tag(world, entity, knc_rts_attack_of_world(world)->rts->tags[tag]);
}

static float multiplier_of(const kn_world *world, const attack_kit *kit, kn_entity_id source)
{
    const kn_attribute_id multiplier = kit->attributes[KN_RTS_ATTACK_MULTIPLIER];
    if (!kn_attribute_exists(world, source, multiplier, 0)) {
        return 1.0f;
    }
    const float factor = kn_attribute_value(world, source, multiplier);
    return factor > 0.0f ? factor : 0.0f;
}

static float armoured(
    const attack_kit *kit, const kn_world *world, kn_entity_id target, float amount)
{
    const kn_attribute_id armour = kit->rules->armour;
    if (armour.index1 == 0 || !kn_attribute_exists(world, target, armour, 0)) {
        return amount;
    }
    const float points = kit->rules->armour_factor * kn_attribute_value(world, target, armour);
    return points >= 0.0f ? amount / (1.0f + points) : amount * (2.0f - 1.0f / (1.0f - points));
}

static float mitigated(const attack_kit *kit, const kn_world *world, const kn_rts_damage *damage)
{
    float amount = damage->asked * kn_rts_damage_factor(world, damage->type, damage->target);
    amount = armoured(kit, world, damage->target, amount);
    if (kit->rules->mitigate.function != NULL) {
        kn_rts_mitigate_call call = {.source = damage->source,
            .type = damage->type,
            .weapon = damage->weapon,
            .flags = damage->flags,
            .amount = amount};
        (void)kn_hook_read(world, kit->rules_kind, 1, &kit->rules->mitigate, damage->target, &call);
        amount = isfinite(call.amount) ? call.amount : amount;
    }
    return amount > 0.0f && isfinite(amount) ? amount : 0.0f;
}

// The health that damage may take: in a last stand all but 1.
static float health_left(const attack_kit *kit, const kn_world *world, kn_entity_id target)
{
    float minimum, maximum;
    kn_attribute_bounds(world, target, kit->health, 0, &minimum, &maximum);
    minimum = minimum > 0.0f ? minimum : 0.0f;
    if (has(world, target, KN_RTS_LAST_STAND) && minimum < 1.0f) {
        minimum = 1.0f;
    }
    const float left = kn_attribute_base(world, target, kit->health) - minimum;
    return left > 0.0f ? left : 0.0f;
}

static kn_result damage_compute(
    const kn_world *world, const kn_rts_damage_def *def, kn_rts_damage *damage)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    const bool is_known = kn_entity_is_alive(world, def->source);
    *damage = (kn_rts_damage){.source = is_known ? def->source : (kn_entity_id){0},
        .target = def->target,
        .causer = def->causer,
        .weapon = def->weapon,
        .type = def->type,
        .flags = def->flags};
    damage->asked = (def->flags & KN_RTS_DAMAGE_MULTIPLIED) != 0
                        ? def->amount
                        : def->amount * multiplier_of(world, kit, damage->source);
    if (!isfinite(damage->asked)) {
        damage->asked = def->amount;
    }
    if (has(world, def->target, KN_RTS_INVULNERABLE)) {
        damage->flags |= KN_RTS_DAMAGE_IMMUNE;
        damage->mitigated = damage->asked;
        return KN_REFUSED_BLOCKED;
    }
    const float amount = mitigated(kit, world, damage);
    damage->mitigated = damage->asked - amount;
    if (has(world, def->target, KN_RTS_ABSORBS_DAMAGE)) {
        damage->absorbed = amount;
        return KN_OK;
    }
    const float left = health_left(kit, world, def->target);
    damage->dealt = amount < left ? amount : left;
    damage->overkill = amount - damage->dealt;
    if (damage->dealt > 0.0f) {
        damage->flags |= has(world, def->target, KN_RTS_ASLEEP) ? KN_RTS_DAMAGE_WOKE : 0u;
        damage->flags |= amount >= left && !has(world, def->target, KN_RTS_LAST_STAND)
                             ? KN_RTS_DAMAGE_LETHAL
                             : 0u;
    }
    return KN_OK;
}

static kn_result damage_check(const kn_world *world, const kn_rts_damage_def *def)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    if (kit == NULL || def == NULL || def->cookie != DAMAGE_COOKIE ||
        (def->flags & ~(uint32_t)KN_RTS_DAMAGE_INPUTS) != 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, def->target)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, def->target)) {
        return KN_REFUSED_DYING;
    }
    if (!isfinite(def->amount) || def->amount < 0.0f) {
        return KN_REFUSED_BAD_NUMBER;
    }
    return kit->health.index1 != 0 && kn_attribute_exists(world, def->target, kit->health, 0)
               ? KN_OK
               : KN_REFUSED_MISSING_ATTRIBUTE;
}

kn_result kn_rts_damage_quote(
    const kn_world *world, const kn_rts_damage_def *def, kn_rts_damage *damage)
{
    kn_rts_damage ignored;
    damage = damage != NULL ? damage : &ignored;
    *damage = (kn_rts_damage){0};
    kn_result result = damage_check(world, def);
    return result == KN_OK ? damage_compute(world, def, damage) : result;
}

// Dealing -------------------------------------------------------------------------------

// Those asleep wake up, whatever put them to sleep.
static void wake(kn_world *world, kn_entity_id target)
{
    const rts_kit *rts = knc_rts_attack_of_world(world)->rts;
    const kn_tag tag = rts->tags[KN_RTS_ASLEEP];
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = (kn_tags){&rts->tags[KN_RTS_ABILITY_SLEEP], 1};
    (void)kn_effects_remove(world, target, &query, 0, KN_REMOVED_BY_EFFECT, NULL);
    (void)kn_entity_set_tag_count(world, target, tag, KN_TAG_ORIGIN_LOOSE, 0);
    (void)kn_entity_set_tag_count(world, target, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 0);
}

static void damage_publish(kn_world *world, const kn_rts_damage *damage)
{
    (void)kn_world_publish(world, damage->target, knc_rts_attack_of_world(world)->damaged, damage);
}

void knc_rts_damage_avoided(kn_world *world, const kn_rts_damage_def *def, uint32_t flag)
{
    kn_rts_damage damage = {.source = def->source,
        .target = def->target,
        .causer = def->causer,
        .weapon = def->weapon,
        .type = def->type,
        .flags = def->flags | flag,
        .asked = def->amount,
        .mitigated = def->amount};
    damage_publish(world, &damage);
}

// Health is taken by an effect, so that gates, causes and tallies of the core count.
static kn_result health_take(kn_world *world, const kn_rts_damage *damage)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    const kn_caller_value value = {kit->value_tag, -damage->dealt};
    const kn_effect_context context = {.instigator = damage->source, .causer = damage->causer};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = kit->hit;
    apply.target = damage->target;
    apply.source = damage->source;
    apply.caller_values = &value;
    apply.caller_value_count = 1;
    apply.dynamic_asset_tags = (kn_tags){&damage->type, damage->type.index1 != 0 ? 1 : 0};
    apply.context = &context;
    return kn_effect_apply(world, &apply, NULL);
}

typedef struct deal_call {
    const kn_rts_damage_def *def;
    kn_rts_damage *damage;
} deal_call;

static kn_result deal_run(void *user, kn_world *world)
{
    const deal_call *c = user;
    kn_rts_damage *damage = c->damage;
    kn_result result = damage_compute(world, c->def, damage);
    if (result == KN_OK) {
        result = health_take(world, damage);
        if (result != KN_OK) {
            damage->flags |= KN_RTS_DAMAGE_REFUSED;
            damage->flags &= ~(uint32_t)(KN_RTS_DAMAGE_WOKE | KN_RTS_DAMAGE_LETHAL);
            damage->mitigated = damage->asked;
            damage->absorbed = damage->overkill = damage->dealt = 0.0f;
        }
    }
    if ((damage->flags & KN_RTS_DAMAGE_WOKE) != 0) {
        wake(world, damage->target);
    }
    damage_publish(world, damage);
    return result;
}

kn_result kn_rts_damage_deal(kn_world *world, const kn_rts_damage_def *def, kn_rts_damage *damage)
{
    kn_rts_damage ignored;
    deal_call c = {def, damage != NULL ? damage : &ignored};
    *c.damage = (kn_rts_damage){0};
    kn_result result = damage_check(world, def);
    if (result == KN_OK && kn_world_is_client(world)) {
        result = KN_REFUSED_BLOCKED;
    }
    return result == KN_OK ? kn_world_call(world, deal_run, &c) : result;
}

// The execution for effects -------------------------------------------------------------

// The first asset tag that a table names, or the first.
static kn_tag type_of(const kn_world *world, const kn_spec_view *spec)
{
    const attack_kit *kit = knc_rts_attack_of_world(world);
    kn_tag tags[32];
    uint32_t count = kn_spec_view_asset_tags(spec, tags, COUNT(tags));
    count = count < COUNT(tags) ? count : COUNT(tags);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < kit->row_count; j++) {
            if (kn_tag_matches(kn_world_library(world), tags[i], kit->rows[j].type)) {
                return tags[i];
            }
        }
    }
    return count > 0 ? tags[0] : (kn_tag){0};
}

static void damage_execute(void *user, kn_execution *execution)
{
    const attack_kit *kit = user;
    kn_world *world = kn_execution_world(execution);
    const kn_spec_view *spec = kn_execution_spec(execution);
    kn_rts_damage_def def = kn_rts_damage_def_default();
    kn_rts_damage damage;
    def.source = kn_execution_source(execution);
    def.target = kn_execution_target(execution);
    def.causer = kn_spec_view_causer(spec);
    def.type = type_of(world, spec);
    def.amount = kn_spec_view_parameter(spec, kit->damage_name,
        kn_attribute_value(world, def.source, kit->attributes[KN_RTS_ATTACK_DAMAGE]));
    def.amount *= (float)kn_spec_view_stacks(spec);
    def.amount = def.amount > 0.0f ? def.amount : 0.0f;
    kn_execution_handle_stacks(execution);
    if (damage_check(world, &def) != KN_OK) {
        return;
    }
    (void)damage_compute(world, &def, &damage);
    if (damage.dealt > 0.0f) {
        kn_execution_output(execution, kit->health, 0, KN_OP_ADD, -damage.dealt);
    }
    if ((damage.flags & KN_RTS_DAMAGE_WOKE) != 0) {
        wake(world, damage.target); // when the effect has been executed
    }
    damage_publish(world, &damage);
}

static kn_result execution_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    kn_execution_id execution;
    kn_execution_def def = kn_execution_def_default();
    def.name = "Knack.Rts.Damage";
    def.function = damage_execute;
    def.user = kit;
    return kn_execution_register(library, &def, &execution, error);
}

// Effects that add a number of the caller to health.
static kn_result effect_expand(kn_library *library, const attack_kit *kit, const char *name,
    kn_effect_type_id *type, kn_error *error)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    kn_effect_def def = kn_effect_def_default();
    if (kit->health.index1 == 0) {
        return KN_OK;
    }
    modifier.attribute = kit->health;
    modifier.magnitude = kn_magnitude_set_by_caller(kit->value_tag);
    def.name = name;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_result result = kn_effect_register(library, &def, type, error);
    if (result == KN_REFUSED_DUPLICATE) { // finished for a second time
        *type = kn_effect_type_find(library, name);
        result = KN_OK;
    }
    return result;
}

kn_result knc_rts_damage_expand(kn_library *library, attack_kit *kit, kn_error *error)
{
    kn_result result = rows_expand(library, kit);
    if (result == KN_OK) {
        result = effect_expand(library, kit, "Knack.Rts.Hit", &kit->hit, error);
    }
    return result == KN_OK ? effect_expand(library, kit, "Knack.Rts.LifeSteal", &kit->heal, error)
                           : result;
}

kn_result knc_rts_damage_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts damage table";
    kind.section = "rts_damage_tables";
    kind.table = &damage_table;
    kind.text = "How much damage of one type does to those with one kind of armour.";
    kind.check = table_check;
    kind.user = kit;
    kn_result result = kn_kind_register(library, &kind, &kit->table_kind, error);
    if (result == KN_OK) {
        result = knc_rts_event_register(library, "Knack.RtsDamage", sizeof(kn_rts_damage),
            knc_rts_damage_fields, DAMAGE_FIELDS, "{dealt} of {asked} damage by {source}",
            &kit->damaged, error);
    }
    return result == KN_OK ? execution_register(library, kit, error) : result;
}
