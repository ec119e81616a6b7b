#include "scenario/ability_replay.h"
int main(void)
{
    return 0;
}
