"""Problems of our own: bilingual, drawn and answered from parameters, so that every number can be recomputed."""
